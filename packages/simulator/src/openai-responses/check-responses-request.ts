import { type Fields, isFields } from '@data-designer/core';
import { checkChatRequest } from '../openai/check-chat-request.ts';
import { strictViolation } from '../chat/strict-violation.ts';
import { badRequest, type Refusal } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import { isOwnReasoning } from './encrypt-reasoning.ts';
import { itemsOf, reasons, type ResponsesRequest } from './responses-request.ts';
import { toChatRequest } from './to-chat-request.ts';

/** Fields of chat completions that this protocol does not know. */
const UNKNOWN = [
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'response_format',
  'reasoning_effort',
  'n',
  'seed',
  'stop',
  'frequency_penalty',
  'presence_penalty',
];
const STORED = ['previous_response_id', 'conversation'];
const FEWEST_TOKENS = 16;

/** What a real server would refuse in a parsed Responses request; undefined means that it is a `ResponsesRequest`. */
export function checkResponsesRequest(body: unknown, settings: Pick<Settings, 'seed'>): Refusal | undefined {
  if (!isFields(body)) return badRequest('The body must be a JSON object.');
  const wrong = checkFields(body) ?? checkItems(body.input) ?? checkTools(body.tools);
  if (wrong !== undefined || !isRequest(body))
    return wrong ?? badRequest("Missing required parameter: 'model'.", 'model');
  return checkReasoning(body, settings.seed) ?? checkChatRequest(toChatRequest(body));
}

/** Once its items and tools are checked, the rest is as in a chat request, and is checked as one. */
function isRequest(body: Fields): body is Fields & ResponsesRequest {
  return typeof body.model === 'string' && body.model !== '';
}

function checkFields(body: Fields): Refusal | undefined {
  const unknown = UNKNOWN.find((name) => Object.hasOwn(body, name));
  if (unknown !== undefined) {
    return { ...badRequest(`Unknown parameter: '${unknown}'.`, unknown), code: 'unknown_parameter' };
  }
  if (body.stream === true) return badRequest('This server does not stream.', 'stream');
  const stored = STORED.find((name) => body[name] !== undefined && body[name] !== null);
  if (stored !== undefined) return badRequest(`'${stored}': this server stores no responses.`, stored);
  const { max_output_tokens: most, temperature, top_p: share } = body;
  if (most != null && !(Number.isInteger(most) && Number(most) >= FEWEST_TOKENS)) {
    const message = `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${FEWEST_TOKENS}.`;
    return badRequest(message, 'max_output_tokens');
  }
  if (temperature != null && !isWithin(temperature, 2)) return badRequest("Invalid 'temperature'.", 'temperature');
  if (share != null && !isWithin(share, 1)) return badRequest("Invalid 'top_p'.", 'top_p');
  return undefined;
}

function isWithin(value: unknown, highest: number): boolean {
  return typeof value === 'number' && value >= 0 && value <= highest;
}

function checkItems(input: unknown): Refusal | undefined {
  if (typeof input === 'string' && input !== '') return undefined;
  if (!Array.isArray(input) || input.length === 0) return badRequest("Missing required parameter: 'input'.", 'input');
  for (const [index, item] of input.entries()) {
    const wrong = isFields(item) ? problemOf(item) : 'it must be an object';
    if (wrong !== undefined) return badRequest(`Invalid 'input[${index}]': ${wrong}.`, `input[${index}]`);
  }
  return undefined;
}

/** What is wrong with an item by its type; whether calls and their outputs belong together is checked later. */
function problemOf(item: Fields): string | undefined {
  const { type = 'message', role, content, call_id: id, name, arguments: text, output } = item;
  if (type === 'reasoning') return undefined;
  if (type === 'function_call') {
    const isWhole = typeof id === 'string' && typeof name === 'string' && typeof text === 'string';
    return isWhole ? undefined : "a function_call needs 'call_id', 'name' and 'arguments'";
  }
  if (type === 'function_call_output') {
    const isWhole = typeof id === 'string' && (typeof output === 'string' || areParts(output, INPUT));
    return isWhole ? undefined : "a function_call_output needs 'call_id' and 'output'";
  }
  if (type !== 'message') return `the type ${JSON.stringify(type)} is not known`;
  const parts = role === 'assistant' ? OUTPUT : INPUT;
  return typeof content === 'string' || areParts(content, parts) ? undefined : "'content' must be text or parts of it";
}

const isText = ({ text }: Fields) => typeof text === 'string';
const INPUT: Readonly<Record<string, (part: Fields) => boolean>> = {
  input_text: isText,
  input_image: ({ image_url: url }) => typeof url === 'string',
};
const OUTPUT: typeof INPUT = { output_text: isText, refusal: ({ refusal }) => typeof refusal === 'string' };

function areParts(parts: unknown, known: typeof INPUT): boolean {
  return Array.isArray(parts) && parts.every((part) => isFields(part) && known[String(part.type)]?.(part) === true);
}

/** The schema itself is checked as one of a chat request. */
function checkTools(tools: unknown): Refusal | undefined {
  for (const [index, tool] of (Array.isArray(tools) ? tools : []).entries()) {
    const { name, parameters, strict }: Fields = isFields(tool) ? tool : {};
    const at = `tools[${index}]`;
    if (typeof name !== 'string') return badRequest(`Missing required parameter: '${at}.name'.`, `${at}.name`);
    const violation = strict === true ? strictViolation(parameters) : undefined;
    if (violation !== undefined)
      return badRequest(`Invalid schema for function '${name}': ${violation}.`, `${at}.parameters`);
  }
  return undefined;
}

/** Reasoning comes back whole, before what followed it; calls of a model that reasons come back behind theirs. */
function checkReasoning(request: ResponsesRequest, seed: number): Refusal | undefined {
  const items = itemsOf(request.input);
  let hasReasoned = false;
  for (const [index, { type, id, encrypted_content: encrypted }] of items.entries()) {
    if (type === 'function_call' && reasons(request) && !hasReasoned) {
      return badRequest(`Item '${id}' of type 'function_call' was provided without its required 'reasoning' item.`);
    }
    if (type !== 'function_call') hasReasoned = type === 'reasoning';
    if (type !== 'reasoning') continue;
    if (encrypted == null) {
      const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`;
      return { status: 404, message, param: 'input' };
    }
    if (!isOwnReasoning(encrypted, seed)) return badRequest(`The encrypted content of '${id}' could not be verified.`);
    if (!isFollowed(items[index + 1])) {
      return badRequest(`Item '${id}' of type 'reasoning' was provided without its required following item.`);
    }
  }
  return undefined;
}

function isFollowed(next: ReturnType<typeof itemsOf>[number] | undefined): boolean {
  return next?.type === 'function_call' || next?.role === 'assistant' || next?.type === 'reasoning';
}
