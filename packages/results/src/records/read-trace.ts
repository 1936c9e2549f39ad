import { DataDesignerError, isMessages, type ToolCall, type TraceContentPart, type Message } from '@data-designer/core';

/** One tool call of a conversation. */
export interface TracedToolCall {
  /** The id of the call. */
  readonly id: string;
  /** The name of the tool. */
  readonly name: string;
  /** The JSON text exactly as the model wrote it, valid or not. */
  readonly arguments: string;
  /** The result that the model saw: text, or parts if it had more than text; null if the conversation ended before. */
  readonly result: string | readonly TraceContentPart[] | null;
}

const SUFFIX = '__trace';
/** The same conversation, as the model that plays its user saw it. */
const USER_SUFFIX = '__user_trace';

/**
 * The tool calls of a row's conversation, in the model's order: of a trace, or of a column of conversations. `column` may be
 * omitted if only one column has a trace, or none has and only one holds conversations.
 * Throws `dataset/no-chats`.
 */
export function toolCallsOf(row: object, column?: string): readonly TracedToolCall[] {
  const trace = traceOf(row, column);
  return trace.flatMap(({ tool_calls: calls }, index) => tracedIn(calls ?? [], resultsAfter(trace, index)));
}

/** The model's last message in a row's conversation; null if it called tools. Throws `dataset/no-chats`. */
export function finalAnswerOf(row: object, column?: string): string | null {
  const last = traceOf(row, column).at(-1);
  return last?.role === 'assistant' && !last.tool_calls ? last.content : null;
}

/** An id is unique neither in a conversation nor in one answer: results follow the answer in the order of its calls. */
function tracedIn(calls: readonly ToolCall[], results: readonly Message[]): readonly TracedToolCall[] {
  return calls.map(({ id, function: { name, arguments: text } }, index) => {
    const before = calls.slice(0, index).filter((call) => call.id === id).length;
    const result = results.filter((message) => message.tool_call_id === id)[before];
    return { id, name, arguments: text, result: result?.content_parts ?? result?.content ?? null };
  });
}

/** The tool messages directly after an answer. */
function resultsAfter(trace: readonly Message[], at: number): readonly Message[] {
  const end = trace.findIndex(({ role }, index) => index > at && role !== 'tool');
  return trace.slice(at + 1, end === -1 ? undefined : end);
}

function traceOf(row: object, column: string | undefined): readonly Message[] {
  const traces = tracesIn(row);
  const chats = chatsIn(row);
  const wanted = column === undefined ? [...(traces.size > 0 ? traces : chats).keys()] : [column];
  const [name = '', ...others] = wanted;
  if (others.length > 0) {
    const remedy = `Name one of ${wanted.map((one) => `'${one}'`).join(', ')}.`;
    const reason = 'no column is named, and several have a trace';
    throw new DataDesignerError('dataset/no-chats', { path: 'The row', reason, remedy });
  }
  const found = traces.get(name) ?? chats.get(name);
  if (found) return found;
  const reason = column === undefined ? 'no column has a trace' : `there is no ${column}${SUFFIX}`;
  throw new DataDesignerError('dataset/no-chats', { path: 'The row', reason });
}

/** The traces of a row, by column. */
function tracesIn(row: object): ReadonlyMap<string, readonly Message[]> {
  const named = Object.entries(row).filter(([name]) => name.endsWith(SUFFIX));
  return new Map(named.map(([name, value]) => [name.slice(0, -SUFFIX.length), (value ?? []) as readonly Message[]]));
}

/** The values of a row that are messages, as those of conversations are, by column. */
function chatsIn(row: object): ReadonlyMap<string, readonly Message[]> {
  const chats = Object.entries(row).filter((one): one is [string, readonly Message[]] => isMessages(one[1]));
  return new Map(chats.filter(([name]) => !name.endsWith(USER_SUFFIX)));
}
