import { isFields } from '@data-designer/core';
import type {
  FunctionTool,
  ResponseCreateParamsNonStreaming,
  ResponseFormatTextJSONSchemaConfig,
} from 'openai/resources/responses/responses';
import type { ChatRequest } from '../../model-client.ts';
import type { ModelRequests } from '../../model-protocol.ts';
import type { SentTool } from '../../rules/request-rules.ts';
import { parseResponse, readResponse } from './read-response.ts';
import { sharedParameters, translatedOnce } from '../translate-messages.ts';
import { toResponsesInput } from './to-responses-input.ts';

/** Requests of OpenAI's Responses API. */
export const responsesRequests: ModelRequests = {
  parseBody: parseResponse,
  chat: (request) => ({
    path: 'responses',
    body: toResponsesBody(request),
    read: (answer, at) => readResponse(answer, request.model, at),
  }),
  embed: undefined,
  generateImage: undefined,
};

function toResponsesBody({ model, messages, tools, shape, parameters, asWritten }: ChatRequest): object {
  const own = toResponsesParameters(parameters);
  const reasons = isFields(own.reasoning) || REASONING_MODEL.test(model);
  const body: ResponseCreateParamsNonStreaming = {
    model,
    ...toResponsesInput(messages, { model, asWritten }),
    ...(tools ? { tools: tools.map(toFunctionTool) } : {}),
    store: false,
    ...(reasons ? { include: ['reasoning.encrypted_content'] } : {}),
  };
  const text = isFields(own.text) ? own.text : {};
  return { ...body, ...own, ...(shape ? { text: { ...text, format: toTextFormat(shape) } } : {}) };
}

/**
 * Models that reason without being asked to: their reasoning must come encrypted to go back with the results of tools.
 * Models that do not reason refuse to be asked for it.
 */
const REASONING_MODEL = /(?:^|\/)(?:o\d|gpt-5(?!-chat)|codex|computer-use)/;

/** This API makes tool schemas strict by default, which would change the arguments a tool accepts. */
function toFunctionTool({ function: { name, description, parameters } }: SentTool): FunctionTool {
  const told = description === undefined ? {} : { description };
  return { type: 'function', name, ...told, parameters: parameters ?? null, strict: false };
}

function toTextFormat({ schema, strict }: NonNullable<ChatRequest['shape']>): ResponseFormatTextJSONSchemaConfig {
  return { type: 'json_schema', name: 'answer', schema, strict };
}

/** Parameters in this protocol's names. */
const toResponsesParameters = translatedOnce(({ max_tokens, max_completion_tokens, reasoning_effort, ...others }) => {
  const known = sharedParameters(others);
  const most = known.max_output_tokens ?? max_completion_tokens ?? max_tokens;
  const given = isFields(known.reasoning) ? known.reasoning : undefined;
  const effort = reasoning_effort == null ? {} : { effort: reasoning_effort };
  return {
    ...known,
    ...(most === undefined ? {} : { max_output_tokens: most }),
    // Without a summary nothing of the reasoning can be read.
    ...(given || reasoning_effort != null ? { reasoning: { ...effort, summary: 'auto', ...given } } : {}),
  };
});
