import { type Fields, fieldsOf, isFields, itemsOf, TOOL_NAME } from '@data-designer/core';
import { badRequest, type Refusal } from '../refusal.ts';
import { checkMessages } from './check-messages.ts';
import { strictViolation } from '../chat/strict-violation.ts';

/** Numbers a request may carry: lowest, highest, and whether only integers are allowed. */
const NUMBERS: readonly (readonly [field: string, low: number, high: number, integer: boolean])[] = [
  ['temperature', 0, 2, false],
  ['top_p', 0, 1, false],
  ['frequency_penalty', -2, 2, false],
  ['presence_penalty', -2, 2, false],
  ['max_tokens', 1, Number.MAX_SAFE_INTEGER, true],
  ['max_completion_tokens', 1, Number.MAX_SAFE_INTEGER, true],
  ['n', 1, 1, true],
];

/** What a real server would refuse in a parsed chat request; undefined means that it is a `ChatRequest`. */
export function checkChatRequest(body: unknown): Refusal | undefined {
  if (!isFields(body)) return badRequest('The body must be a JSON object.');
  if (typeof body['model'] !== 'string' || body['model'] === '') {
    return badRequest("Missing required parameter: 'model'.", 'model');
  }
  if (body['stream'] === true) return badRequest('This server does not stream.', 'stream');
  return (
    checkMessages(body['messages']) ??
    checkNumbers(body) ??
    checkTools(body['tools']) ??
    checkToolChoice(body) ??
    checkResponseFormat(body['response_format'])
  );
}

function checkNumbers(body: Fields): Refusal | undefined {
  for (const [field, low, high, integer] of NUMBERS) {
    const value = body[field];
    if (value === undefined || value === null) continue;
    const fits = typeof value === 'number' && value >= low && value <= high && (!integer || Number.isInteger(value));
    if (!fits) return badRequest(`Invalid '${field}': it must be from ${low} to ${high}.`, field);
  }
  return undefined;
}

function checkTools(tools: unknown): Refusal | undefined {
  if (tools === undefined || tools === null) return undefined;
  if (!Array.isArray(tools) || tools.length === 0) return badRequest("'tools' must be a filled array.", 'tools');
  for (const [index, tool] of tools.entries()) {
    const declared: unknown = isFields(tool) && tool['type'] === 'function' ? tool['function'] : undefined;
    const at = `tools[${index}].function`;
    if (!isFields(declared)) return badRequest(`'${at}' is missing.`, at);
    if (typeof declared['name'] !== 'string' || !TOOL_NAME.test(declared['name'])) {
      return badRequest(`'${at}.name' must match ${TOOL_NAME.source}.`, `${at}.name`);
    }
    if (declared['parameters'] !== undefined && !isFields(declared['parameters'])) {
      return badRequest(`'${at}.parameters' must be a JSON Schema object.`, `${at}.parameters`);
    }
  }
  return undefined;
}

function checkToolChoice(body: Fields): Refusal | undefined {
  const choice = body['tool_choice'];
  if (choice === undefined || choice === null || choice === 'none' || choice === 'auto') return undefined;
  const tools = itemsOf(body['tools']);
  if (tools.length === 0) return badRequest("'tool_choice' is only allowed when 'tools' are given.", 'tool_choice');
  if (choice === 'required') return undefined;
  const wanted = isFields(choice) && isFields(choice['function']) ? choice['function']['name'] : undefined;
  return tools.some((tool) => fieldsOf(fieldsOf(tool)['function'])['name'] === wanted)
    ? undefined
    : badRequest("'tool_choice' names no tool of 'tools'.", 'tool_choice');
}

function checkResponseFormat(format: unknown): Refusal | undefined {
  if (format === undefined || format === null) return undefined;
  const type = isFields(format) ? format['type'] : undefined;
  if (type === 'text' || type === 'json_object') return undefined;
  if (type !== 'json_schema') return badRequest("Unknown 'response_format.type'.", 'response_format.type');
  const named = fieldsOf(format)['json_schema'];
  const at = 'response_format.json_schema';
  if (!isFields(named) || !isFields(named['schema'])) return badRequest(`'${at}.schema' is missing.`, `${at}.schema`);
  if (typeof named['name'] !== 'string' || !TOOL_NAME.test(named['name'])) {
    return badRequest(`'${at}.name' must match ${TOOL_NAME.source}.`, `${at}.name`);
  }
  const violation = named['strict'] === true ? strictViolation(named['schema']) : undefined;
  return violation === undefined
    ? undefined
    : badRequest(`Invalid schema for response_format '${named['name']}': ${violation}.`, 'response_format');
}
