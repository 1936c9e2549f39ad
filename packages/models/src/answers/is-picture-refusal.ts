import { type DataDesignerError, type FailureCode, fieldsOf } from '@data-designer/core';

/** Refusals that may concern the pictures of a request. */
const REFUSALS: ReadonlySet<FailureCode> = new Set([
  'model/rejected',
  'model/unprocessable',
  'model/unsupported-parameter',
  'model/not-found',
  'model/server-error',
]);

/** Words by which endpoints of text models refuse pictures (sources: errors of OpenAI, DeepSeek, Groq, OpenRouter, Ollama, vLLM, llama.cpp). */
const COMPLAINT =
  /image|picture|vision|multi-?modal|mmproj|(?:content|value)\W{0,3} (?:must be|should be|expected) a(?: valid)? string|invalid message (?:format|content)|only text tool_result/i;

/**
 * Words by which an endpoint says that it takes no picture at all, or none of a tool (sources: errors of Ollama, OpenRouter,
 * vLLM, llama.cpp, LM Studio, DeepSeek, Groq, OpenAI). Words about one picture, such as its format or size, are none.
 */
const TEXT_ONLY = [
  /(?:\b(?:does|do|can) ?not|\b(?:does|do|ca)n't) (?:support|accept|allow|take)(?: \w+)? (?:images?|pictures?|vision|multi-?modal)(?: (?:inputs?|content|data|parts?|messages?))?(?=[.,;:!)"'\]}]| \(| and | for | in | yet|$)/i,
  /\b(?:images?|pictures?|vision|multi-?modal)(?: (?:inputs?|content|parts?))? (?:is|are) not (?:supported|enabled|allowed|available|accepted)(?! in (?:this|that) format)/i,
  /not an? (?:vision|multi-?modal)|no endpoints found that support image|at most 0 image|missing data required for image|mmproj/i,
  /unknown variant .?image_url|image_url\W* is only supported by|only allowed for messages with role .?user|only text tool_result/i,
  /(?:content|value)\W{0,3} (?:must be|should be|expected) a(?: valid)? string/i,
];

/** Whether the text of a refusal says that a model takes no pictures, whatever they are. */
export function saysTextOnly(reason: string): boolean {
  return TEXT_ONLY.some((pattern) => pattern.test(reason));
}

/** Whether a request was refused because of the pictures that it shows. */
export function isPictureRefusal(failure: DataDesignerError): boolean {
  return COMPLAINT.test(reasonOf(failure));
}

/** Whether a request was refused because its model takes no pictures, whatever they are. */
export function isTextOnlyRefusal(failure: DataDesignerError): boolean {
  return saysTextOnly(reasonOf(failure));
}

/** The words of a refusal that may concern pictures; empty for other failures. */
function reasonOf({ code, data }: DataDesignerError): string {
  const { reason } = fieldsOf(data);
  return REFUSALS.has(code) && typeof reason === 'string' ? reason : '';
}
