import { DataDesignerError, type ToolCall, type TraceContentPart, type TraceMessage } from '@data-designer/core';

/** One call of a tool as a conversation had it. */
export interface TracedToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text exactly as the model wrote it, right or wrong. */
  readonly arguments: string;
  /** What the model saw: text, or parts where there was more than text; null if the conversation ended before. */
  readonly result: string | readonly TraceContentPart[] | null;
}

const SUFFIX = '__trace';

/**
 * The tool calls of a row's conversation, in the order the model made them. `column` may be left out where only one
 * column keeps its conversations. Throws `dataset/no-chats`.
 */
export function toolCallsOf(row: object, column?: string): readonly TracedToolCall[] {
  const trace = traceOf(row, column);
  return trace.flatMap(({ tool_calls: calls }, index) => tracedIn(calls ?? [], resultsAfter(trace, index)));
}

/** What the model said last in a row's conversation, if it did not ask for tools then. Throws `dataset/no-chats`. */
export function finalAnswerOf(row: object, column?: string): string | null {
  const last = traceOf(row, column).at(-1);
  return last?.role === 'assistant' && !last.tool_calls ? last.content : null;
}

/** Ids are those of one answer only, and may come twice in it: results follow the answer, in the order of its calls. */
function tracedIn(calls: readonly ToolCall[], results: readonly TraceMessage[]): readonly TracedToolCall[] {
  return calls.map(({ id, function: { name, arguments: given } }, index) => {
    const before = calls.slice(0, index).filter((call) => call.id === id).length;
    const told = results.filter((message) => message.tool_call_id === id)[before];
    return { id, name, arguments: given, result: told?.content_parts ?? told?.content ?? null };
  });
}

/** The messages of tools that follow an answer at once. */
function resultsAfter(trace: readonly TraceMessage[], at: number): readonly TraceMessage[] {
  const end = trace.findIndex(({ role }, index) => index > at && role !== 'tool');
  return trace.slice(at + 1, end === -1 ? undefined : end);
}

function traceOf(row: object, column: string | undefined): readonly TraceMessage[] {
  const traces = Object.keys(row).filter((name) => name.endsWith(SUFFIX));
  const wanted = column === undefined ? traces : traces.filter((name) => name === `${column}${SUFFIX}`);
  const [name, ...others] = wanted;
  if (name === undefined) {
    const reason = column === undefined ? 'no column keeps its own' : `there is no ${column}${SUFFIX}`;
    throw new DataDesignerError('dataset/no-chats', { path: 'The row', reason });
  }
  if (others.length > 0) {
    const remedy = `Name one of ${wanted.map((one) => `'${one.slice(0, -SUFFIX.length)}'`).join(', ')}.`;
    throw new DataDesignerError('dataset/no-chats', { path: 'The row', reason: 'it has several', remedy });
  }
  return ((row as Record<string, unknown>)[name] as readonly TraceMessage[] | null) ?? [];
}
