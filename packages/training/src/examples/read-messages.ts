import {
  type CellValue,
  type ChatColumn,
  type ChatMessage,
  DataDesignerError,
  fieldsOf,
  joinHistory,
  type Message,
  readHistory,
  type Row,
  stringifyJson,
  toChatMessage,
  type TraceUsage,
} from '@data-designer/core';
import { withoutCorrections } from '@data-designer/dataset';
import type { TrainingMessage } from '../training-format.ts';

/** What is read of conversations. */
export interface MessageOptions {
  /** Whether answers that were not valid stay, with the messages that corrected them; default false. */
  readonly corrections?: boolean | undefined;
}

/** The messages of a trace, with those before it; undefined for one that does not end with an answer. */
export function messagesOf(
  values: Readonly<Record<string, unknown>>,
  { trace: name, hasCorrections, history }: ChatColumn,
  { corrections = false }: MessageOptions,
): readonly TrainingMessage[] | undefined {
  const trace = values[name] as readonly Message[] | null | undefined;
  const last = trace?.at(-1);
  if (!trace || last?.role !== 'assistant' || last.tool_calls) return undefined;
  const kept = hasCorrections && !corrections ? withoutCorrections(trace) : trace;
  const own = kept.map(storedMessage);
  if (history === undefined) return own;
  return joinHistory<TrainingMessage>(readHistory(values[history], { column: history, row: values }), own);
}

/** A stored message with the fields of its answer that trainers have a place for. */
function storedMessage(message: Message): TrainingMessage {
  const { model, usage } = fieldsOf(message);
  return {
    ...toChatMessage(message),
    ...(typeof model === 'string' ? { model } : {}),
    ...(usage ? { usage: usage as TraceUsage } : {}),
  };
}

/** What a value of a row is read as. */
interface MessagePart {
  /** Who wrote it, if it is a text. */
  readonly role: ChatMessage['role'];
  /** Where it comes from, for messages. */
  readonly column: string;
  readonly row: number;
}

/**
 * A value as messages: a list of messages, or one message with its text; none for null. An object is JSON text. Throws
 * `dataset/no-chats` for a list that is not of messages.
 */
export function valueMessages(value: CellValue, { role, column, row }: MessagePart): readonly TrainingMessage[] {
  if (value === null) return [];
  if (!Array.isArray(value)) return [{ role, content: textOf(value) }];
  try {
    return withReasoning(readHistory(value, { column }), value);
  } catch (thrown) {
    if (!(thrown instanceof DataDesignerError)) throw thrown;
    const reason = `row ${row} of '${column}' is not a list of messages: ${thrown.message.replace(/\.$/, '')}`;
    const remedy = 'Map a column of texts, or of lists of messages with role and content.';
    throw new DataDesignerError(
      'dataset/no-chats',
      { path: `The column '${column}'`, reason, remedy },
      { cause: thrown },
    );
  }
}

/** A history has no reasoning, and one system message in place of several; an example keeps the reasoning. */
function withReasoning(messages: readonly ChatMessage[], stored: readonly CellValue[]): readonly TrainingMessage[] {
  const first = stored.findIndex((one) => !['system', 'developer'].includes(String(fieldsOf(one).role)));
  const joined = Math.max(0, first - 1);
  return messages.map((message, index) => {
    const { reasoning_content: reasoning } = fieldsOf(stored[index === 0 && joined > 0 ? 0 : index + joined]);
    return typeof reasoning === 'string' && message.role === 'assistant'
      ? { ...message, reasoning_content: reasoning }
      : message;
  });
}

/** A value as text: a text itself, and JSON for others. */
export function textOf(value: CellValue): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}

/** The value at a path: a column, or members of it behind dots. Undefined where there is none. */
export function valueAt(values: Row, path: string): CellValue | undefined {
  if (Object.hasOwn(values, path)) return values[path];
  const [column = '', ...members] = path.split('.');
  return members.reduce<CellValue | undefined>(
    (value, member) => (fieldsOf(value) as Readonly<Record<string, CellValue>>)[member],
    Object.hasOwn(values, column) ? values[column] : undefined,
  );
}
