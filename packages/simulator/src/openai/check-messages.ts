import { argumentsOf, fieldsOf, isFields, itemsOf, TOOL_NAME } from '@data-designer/core';
import { badRequest, type Refusal } from '../refusal.ts';
import type { RequestMessage } from '../chat/chat-request.ts';

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

/** What is wrong with the messages of a request, each alone and in their order; undefined when nothing is. */
export function checkMessages(messages: unknown): Refusal | undefined {
  if (!Array.isArray(messages) || messages.length === 0) {
    return badRequest("Missing required parameter: 'messages'.", 'messages');
  }
  for (const [index, message] of messages.entries()) {
    const wrong = problemOf(message);
    if (wrong !== undefined) return badRequest(`Invalid 'messages[${index}]': ${wrong}.`, `messages[${index}]`);
  }
  return checkToolAnswers(messages as readonly RequestMessage[]);
}

function problemOf(message: unknown): string | undefined {
  if (!isFields(message)) return 'it must be an object';
  const { role, content, tool_calls: calls, tool_call_id: callId } = message;
  if (!ROLES.has(role)) return `the role ${JSON.stringify(role) ?? 'is missing and'} is not known`;
  if (role === 'tool' && typeof callId !== 'string') return "a tool message needs a 'tool_call_id'";
  const hasCalls = calls !== undefined && calls !== null;
  if (hasCalls && role !== 'assistant') return "only an assistant message may have 'tool_calls'";
  if (hasCalls && !(Array.isArray(calls) && calls.length > 0 && calls.every(isToolCall))) {
    return "'tool_calls' must be a filled array of function calls with id, name and arguments that are the text of a JSON object";
  }
  const isEmpty = content === undefined || content === null;
  if (isEmpty) return hasCalls ? undefined : "'content' is missing";
  if (!isContent(content)) return "'content' must be text or an array of parts";
  return role === 'tool' && !isText(content) ? 'a tool message may hold text only' : undefined;
}

function isContent(content: unknown): boolean {
  if (typeof content === 'string') return true;
  return Array.isArray(content) && content.every((part: unknown) => isPart(part));
}

function isText(content: unknown): boolean {
  return typeof content === 'string' || itemsOf(content).every((part) => fieldsOf(part).type === 'text');
}

function isPart(part: unknown): boolean {
  if (!isFields(part)) return false;
  const { type, text } = part;
  return type === 'text' ? typeof text === 'string' : typeof type === 'string' && text === undefined;
}

/** Servers that write history out for their model read the arguments of its calls, and fail where they cannot. */
function isToolCall(call: unknown): boolean {
  const { id, function: called } = fieldsOf(call);
  const { name, arguments: text } = fieldsOf(called);
  if (typeof id !== 'string' || typeof name !== 'string' || typeof text !== 'string') return false;
  return (
    TOOL_NAME.test(name) && argumentsOf({ id, type: 'function', function: { name, arguments: text } }) !== undefined
  );
}

/** Every call must be answered by tool messages right after it, and every tool message must answer one. */
function checkToolAnswers(messages: readonly RequestMessage[]): Refusal | undefined {
  let open = new Set<string | undefined>();
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`;
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) {
        return badRequest(`Invalid '${at}': no preceding call has the id '${message.tool_call_id}'.`, at);
      }
      continue;
    }
    if (open.size > 0) return unanswered(open, at);
    open = new Set(message.tool_calls?.map(({ id }) => id));
  }
  return open.size > 0 ? unanswered(open, 'messages') : undefined;
}

function unanswered(open: ReadonlySet<string | undefined>, at: string): Refusal {
  const ids = [...open].join(', ');
  return badRequest(`'tool_calls' must be followed by a tool message for each call; without one: ${ids}.`, at);
}
