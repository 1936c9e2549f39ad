import { DataDesignerError, type ToolCall, type TraceContentPart, type Message } from '@data-designer/core';

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

/**
 * The tool calls of a row's conversation, in the model's order. `column` may be omitted if only one column has a trace.
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
  const traces = Object.keys(row).filter((name) => name.endsWith(SUFFIX));
  const wanted = column === undefined ? traces : traces.filter((name) => name === `${column}${SUFFIX}`);
  const [name, ...others] = wanted;
  if (name === undefined) {
    const reason = column === undefined ? 'no column has a trace' : `there is no ${column}${SUFFIX}`;
    throw new DataDesignerError('dataset/no-chats', { path: 'The row', reason });
  }
  if (others.length > 0) {
    const remedy = `Name one of ${wanted.map((one) => `'${one.slice(0, -SUFFIX.length)}'`).join(', ')}.`;
    const reason = 'no column is named, and several have a trace';
    throw new DataDesignerError('dataset/no-chats', { path: 'The row', reason, remedy });
  }
  return ((row as Record<string, unknown>)[name] as readonly Message[] | null) ?? [];
}
