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
  /image|picture|vision|multi-?modal|mmproj|(?:content|value)\W{0,3} (?:must be|should be|expected) a(?: valid)? string|invalid message (?:format|content)/i;

/** Whether a request was refused because of the pictures that it shows. */
export function isPictureRefusal({ code, data }: DataDesignerError): boolean {
  if (!REFUSALS.has(code)) return false;
  const { reason } = fieldsOf(data);
  return typeof reason === 'string' && COMPLAINT.test(reason);
}
