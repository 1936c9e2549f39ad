import { fieldsOf, isFields } from '@data-designer/core';
import type { IncomingMessage } from 'node:http';
import { badRequest, type Refusal } from '../refusal.ts';
import { checkMessage } from './check-message.ts';
import { blocksOf, type Message, type MessagesRequest } from './messages-request.ts';

/** Fields of chat completions that this protocol does not know. */
const UNKNOWN = ['response_format', 'n', 'seed', 'frequency_penalty', 'presence_penalty', 'stop'];

/** The context of a request check. */
interface Checking {
  readonly headers: IncomingMessage['headers'];
  readonly seed: number;
}

/** What a real server would refuse in a parsed Messages request; undefined means that it is a `MessagesRequest`. */
export function checkMessagesRequest(body: unknown, { headers, seed }: Checking): Refusal | undefined {
  if (headers['anthropic-version'] === undefined) return badRequest('anthropic-version: header is required');
  if (!isFields(body)) return badRequest('The body must be an object');
  const fields = body;
  if (typeof fields['model'] !== 'string' || fields['model'] === '') return badRequest('model: Field required');
  const most = fields['max_tokens'];
  if (!Number.isInteger(most) || Number(most) < 1) return badRequest('max_tokens: Field required, at least 1');
  const unknown = UNKNOWN.find((name) => Object.hasOwn(fields, name));
  if (unknown !== undefined) return badRequest(`${unknown}: Extra inputs are not permitted`);
  if (fields['stream'] === true) return badRequest('stream: this server does not stream');
  return checkTools(fields['tools']) ?? checkTurns(fields as unknown as MessagesRequest, seed);
}

function checkTools(tools: unknown): Refusal | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools) || tools.length === 0) return badRequest('tools: must be a filled list');
  const wrong = tools.findIndex((tool) => {
    const { name, input_schema: schema } = fieldsOf(tool);
    return typeof name !== 'string' || fieldsOf(schema).type !== 'object';
  });
  return wrong === -1 ? undefined : badRequest(`tools.${wrong}: needs a name and an input_schema of type object`);
}

function checkTurns({ messages, thinking }: MessagesRequest, seed: number): Refusal | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return badRequest('messages: at least one is required');
  for (const [index, message] of (messages as readonly Message[]).entries()) {
    const wrong = checkMessage(message, { seed, thinks: thinking?.type === 'enabled' });
    if (wrong !== undefined) return badRequest(`messages.${index}.${wrong}`);
    const unanswered = callsWithout(message, messages[index + 1]);
    if (unanswered.length > 0) {
      const ids = unanswered.join(', ');
      return badRequest(`messages.${index}: tool_use ids were found without tool_result blocks right after: ${ids}`);
    }
    const unasked = callsWithout(swapped(message), index === 0 ? undefined : swapped(messages[index - 1]));
    if (unasked.length > 0)
      return badRequest(`messages.${index}: tool_result without a tool_use before: ${unasked.join()}`);
  }
  return messages[0]?.role === 'user' ? undefined : badRequest('messages.0: must be of the user');
}

/** The ids of a message's tool calls that the next message does not answer. */
function callsWithout(message: Message, next: Message | undefined): readonly string[] {
  const answered = new Set(next ? idsOf(next, 'tool_result') : []);
  return idsOf(message, 'tool_use').filter((id) => !answered.has(id));
}

function idsOf({ content }: Message, type: 'tool_use' | 'tool_result'): readonly string[] {
  return blocksOf(content)
    .filter((block) => block.type === type)
    .map(({ id, tool_use_id }) => (type === 'tool_use' ? id : tool_use_id) ?? '');
}

/** A message with its calls as results and its results as calls, so that both directions are looked at alike. */
function swapped({ role, content }: Message): Message {
  const blocks = blocksOf(content).map((block) => {
    if (block.type === 'tool_use') return { type: 'tool_result', tool_use_id: block.id ?? '' };
    return block.type === 'tool_result' ? { type: 'tool_use', id: block.tool_use_id ?? '' } : block;
  });
  return { role, content: blocks };
}
