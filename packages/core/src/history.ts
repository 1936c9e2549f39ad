import { DataDesignerError } from './errors.ts';
import { type Fields, fieldsOf, isFields, itemsOf, stringOf, tryParse } from './json-fields.ts';
import { parseJson, stringifyJson } from './json.ts';
import type { ChatMessage, ContentPart, HistoryMessage, ToolCall } from './message.ts';
import { hasStoredAnswers } from './trace-message.ts';

/** Where a history comes from, for messages about it. */
export interface HistorySource {
  /** The column, or `history` in code. */
  readonly column: string;
  /** Whether no prompt follows, so that the model answers the last message. */
  readonly isAnswered?: boolean;
  /** The row's values: a trace of a cell that had a history itself names the column of the messages before. */
  readonly row?: Readonly<Record<string, unknown>>;
}

/**
 * The messages of a cell that come before the next request: a trace, a conversation, or a list of objects with `role` and
 * `content`. Reasoning is left out. System messages at the start become one, calls and results without ids get one, and an
 * empty answer at the end is left out. Throws `column/bad-history` for a history that no model accepts.
 */
export function readHistory(value: unknown, source: HistorySource): readonly HistoryMessage[] {
  const list = typeof value === 'string' ? tryParse(value, parseJson) : (value ?? null);
  if (list === null) return checkEnd([], source);
  if (!Array.isArray(list)) throw badHistory(source, undefined, 'it is not a list of messages');
  const isTrusted = hasStoredAnswers(list);
  const read = list.map((message: unknown, index) => readMessage(message, { source, index, isTrusted }));
  const own = checkOrder(withoutEmptyEnd(read), source);
  return checkEnd(withEarlier(own, earlierColumn(list), source), source);
}

/** The column that a trace continues; undefined for another list. */
function earlierColumn([first]: readonly unknown[]): string | undefined {
  const extra = stringOf(fieldsOf(first).extra);
  if (extra === null) return undefined;
  const { column, messages } = fieldsOf(fieldsOf(tryParse(extra, parseJson)).history);
  return messages === 0 ? undefined : (stringOf(column) ?? undefined);
}

/** Puts the messages of the column that a trace continues before its own; its own system message counts. */
function withEarlier(
  own: readonly HistoryMessage[],
  column: string | undefined,
  source: HistorySource,
): readonly HistoryMessage[] {
  if (column === undefined) return own;
  const { [column]: value, ...row } = source.row ?? {};
  if (value === undefined || value === null) {
    throw badHistory(source, 0, `it continues the column '${column}', which has no messages in this row`);
  }
  return joinHistory(readHistory(value, { column, row }), own);
}

/** A conversation with the messages before it. Its own system message replaces theirs. */
export function joinHistory<Item extends Pick<ChatMessage, 'role'>>(
  history: readonly Item[],
  own: readonly Item[],
): readonly Item[] {
  const [system, ...rest] = own;
  if (system?.role !== 'system') return [...history, ...own];
  return [system, ...history.filter(({ role }) => role !== 'system'), ...rest];
}

interface At {
  readonly source: HistorySource;
  readonly index: number;
  /** Whether this run made the messages. Only then their further fields go back to the model. */
  readonly isTrusted?: boolean;
}

function badHistory({ column }: HistorySource, index: number | undefined, reason: string): DataDesignerError {
  return new DataDesignerError('column/bad-history', { column, message: index, reason });
}

/** The roles by the names that data has. */
export const MESSAGE_ROLES: Readonly<Record<string, ChatMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
};

function readMessage(message: unknown, at: At): HistoryMessage {
  const refuse = (reason: string): DataDesignerError => badHistory(at.source, at.index, reason);
  if (!isFields(message)) throw refuse('it is not an object with role and content');
  const named = stringOf(message.role);
  if (named === null) throw refuse('it has no role');
  const role = Object.hasOwn(MESSAGE_ROLES, named) ? MESSAGE_ROLES[named] : undefined;
  if (role === undefined) throw refuse(`its role '${named}' is none of system, user, assistant and tool`);
  const calls = callsOf(message, at);
  if (calls.length > 0 && role !== 'assistant') throw refuse(`it has tool calls, but its role is ${named}`);
  const content = contentOf(message, refuse);
  const id = stringOf(message.tool_call_id) || undefined;
  const extra = at.isTrusted && role === 'assistant' ? stringOf(message.extra) : null;
  return {
    role,
    content: content === '' && calls.length > 0 ? null : content,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(role === 'tool' && id !== undefined ? { tool_call_id: id } : {}),
    ...(extra === null ? {} : { extra }),
  };
}

function contentOf(
  { content, content_parts: parts }: Fields,
  refuse: (reason: string) => Error,
): ChatMessage['content'] {
  const list = itemsOf(parts).length > 0 ? itemsOf(parts) : content;
  if (typeof list === 'string') return list;
  if (list === null || list === undefined) return '';
  if (!Array.isArray(list)) throw refuse('its content is neither text nor a list of parts');
  const read = list.map((part: unknown) => {
    const known = typeof part === 'string' ? ({ type: 'text', text: part } as const) : partOf(fieldsOf(part));
    if (!known) throw refuse(`its content has a part of the type '${String(fieldsOf(part).type)}'`);
    return known;
  });
  return read.every(({ type }) => type === 'text') ? read.map(({ text }) => text).join('') : read;
}

/** A part as traces store it, or as chat completions write it; undefined for another one. */
function partOf(part: Fields): ContentPart | undefined {
  const { type, text } = part;
  if (type === 'text' || type === 'input_text' || type === 'output_text')
    return { type: 'text', text: stringOf(text) ?? '' };
  const sound = fieldsOf(part.input_audio);
  if (typeof sound.data === 'string') {
    return { type: 'audio', url: `data:audio/${stringOf(sound.format) ?? 'wav'};base64,${sound.data}` };
  }
  const kind = (['image', 'audio', 'video'] as const).find((one) => type === one || type === `${one}_url`);
  const linked = part.url ?? part[`${String(kind)}_url`];
  const url = stringOf(linked) ?? stringOf(fieldsOf(linked).url);
  if (kind === undefined || url === null) return undefined;
  const mediaType = stringOf(part.media_type);
  return { type: kind, ...(mediaType === null ? {} : { media_type: mediaType }), url };
}

function callsOf({ tool_calls: calls }: Fields, { source, index }: At): readonly ToolCall[] {
  return itemsOf(calls).map((call, position): ToolCall => {
    const { id, name, arguments: text } = readStoredCall(call);
    if (name === '') throw badHistory(source, index, 'it has a tool call without a name');
    return { id: id || `call_${index}_${position}`, type: 'function', function: { name, arguments: text } };
  });
}

/** A tool call as data has it. */
export interface StoredCall {
  readonly id: string | null;
  /** Empty if it has none. */
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** A call in the OpenAI form, or without its `function` around it; some data have the arguments as an object. */
export function readStoredCall(value: unknown): StoredCall {
  const call = fieldsOf(value);
  const { name, arguments: args } = isFields(call.function) ? call.function : call;
  return {
    id: stringOf(call.id),
    name: stringOf(name) ?? '',
    arguments: typeof args === 'string' ? args : stringifyJson(args ?? {}),
  };
}

/** Some files end with an empty answer, for the model to fill. */
function withoutEmptyEnd(messages: readonly HistoryMessage[]): readonly HistoryMessage[] {
  const last = messages.at(-1);
  return last?.role === 'assistant' && isEmpty(last) ? messages.slice(0, -1) : messages;
}

function isEmpty({ content, tool_calls: calls }: ChatMessage): boolean {
  return !calls && (content === null || content.length === 0 || (typeof content === 'string' && content.trim() === ''));
}

function checkOrder(messages: readonly HistoryMessage[], source: HistorySource): readonly HistoryMessage[] {
  const refuse = (index: number, reason: string): DataDesignerError => badHistory(source, index, reason);
  const start = messages.findIndex(({ role }) => role !== 'system');
  const systems = messages.slice(0, start < 0 ? messages.length : start);
  const rest = messages.slice(systems.length);
  const checked: HistoryMessage[] = [];
  /** The calls without a result so far. */
  let open: ToolCall[] = [];
  for (const [position, message] of rest.entries()) {
    const index = systems.length + position;
    const { role, tool_call_id: id } = message;
    if (role === 'tool') {
      const at = id === undefined ? 0 : open.findIndex((call) => call.id === id);
      const call = open[at];
      if (!call) {
        const named = id === undefined ? '' : ` (${id})`;
        throw refuse(index, `it is the result of a tool call that is not there${named}`);
      }
      open = open.toSpliced(at, 1);
      checked.push({ ...message, tool_call_id: call.id });
      continue;
    }
    if (open[0]) throw refuse(index, `the tool call '${open[0].function.name}' before it has no result`);
    if (role === 'system') throw refuse(index, 'it is a system message behind other messages');
    if (isEmpty(message)) throw refuse(index, `it is an empty message of the ${role}`);
    open = [...(message.tool_calls ?? [])];
    checked.push(message);
  }
  if (open[0]) throw refuse(messages.length - 1, `the tool call '${open[0].function.name}' has no result`);
  return systems.length === 0 ? checked : [joinSystems(systems), ...checked];
}

function checkEnd(messages: readonly HistoryMessage[], source: HistorySource): readonly HistoryMessage[] {
  const last = messages.at(-1);
  if (!source.isAnswered || last?.role === 'user' || last?.role === 'tool') return messages;
  const found = last?.role === 'assistant' ? 'ends with an answer' : 'has no message to answer';
  throw badHistory(source, undefined, `it ${found}, and the prompt is empty`);
}

function joinSystems(systems: readonly HistoryMessage[]): HistoryMessage {
  const [only] = systems;
  if (systems.length === 1 && only) return only;
  const texts = systems
    .map(({ content }) => (typeof content === 'string' ? content : ''))
    .filter((text) => text !== '');
  return { role: 'system', content: texts.join('\n\n') };
}
