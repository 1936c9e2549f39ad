import { type ArrowField, type ArrowType, field } from './arrow-type.ts';
import type { CallOutcome } from './gateway.ts';
import { type Fields, fieldsOf, tryParse } from './json-fields.ts';
import { parseVerbatim, stringifyJson } from './json.ts';
import type { ChatMessage, ContentPart } from './message.ts';
import type { CellValue } from './value.ts';

/** One message of a `{name}__trace` cell. Fields that the message does not have are null. */
export interface Message {
  /** Who wrote the message. */
  role: 'system' | 'user' | 'assistant' | 'tool';
  /** The text; null if the message has several parts, or only tool calls. */
  content: string | null;
  /** The model's reasoning. */
  reasoning_content: string | null;
  /** The tool calls of an assistant message; `arguments` is JSON text exactly as the model wrote it. */
  tool_calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] | null;
  /** In a tool message: the id of the call that it answers. */
  tool_call_id: string | null;
  /** The parts of a message that is more than text. */
  content_parts: TraceContentPart[] | null;
  /** The model that wrote an assistant message: the name in its answer, else the name in the request. */
  model: string | null;
  /** Tokens of the request and its answer; null if the answer reports none. */
  usage: TraceUsage | null;
  /** The reason for which the answer ended, as the provider names it. */
  finish_reason: string | null;
  /**
   * JSON text: further fields of the answer, such as signatures, with the provider's name and the model, and in the first
   * message the column and the length of the history; null if there are none.
   */
  extra: string | null;
}

/** One part of a message that is more than text. */
export interface TraceContentPart {
  /** The kind of the part. */
  type: 'text' | 'image' | 'audio' | 'video';
  /** The text of a text part. */
  text: string | null;
  /** The media type, such as `image/png`. */
  media_type: string | null;
  /** The address of the media; it may be a `data:` address. */
  url: string | null;
}

/** Token counts of one answer; null for a count that the answer does not report. */
export interface TraceUsage {
  /** All tokens read, cached ones included. */
  input_tokens: number | null;
  /** Tokens read from the cache of the provider. */
  cached_input_tokens: number | null;
  /** All tokens written, reasoning included. */
  output_tokens: number | null;
  /** Tokens written as reasoning. */
  reasoning_tokens: number | null;
}

/** Tokens of one answer; null where the endpoint does not report them. */
export interface TokenCounts {
  /** All tokens read, cached ones included. */
  readonly input: number | null;
  readonly cachedInput: number | null;
  /** All tokens written, reasoning included. */
  readonly output: number | null;
  readonly reasoning: number | null;
}

/** A model's answer as the journal holds it: the source of the fields that only traces have. */
export interface TracedAnswer {
  /** The name in the answer, else the name in the request. */
  readonly model: string;
  readonly tokens: TokenCounts;
  readonly finishReason: string | null;
  readonly outcome: CallOutcome | undefined;
  /** JSON text of the fields that no other field stores. */
  readonly extra?: string | undefined;
}

/** The fields of assistant messages that are stored and never sent. */
type AnswerField = Exclude<keyof Message, keyof ChatMessage | 'content_parts'>;

interface AnswerFieldParts {
  readonly type: ArrowType;
  readonly valueOf: (answer: TracedAnswer) => CellValue;
}

/** The types of these fields, and their values for an answer. A new field of traces is a line here and in `Message`. */
const ANSWER_FIELDS: Readonly<Record<AnswerField, AnswerFieldParts>> = {
  model: { type: 'utf8', valueOf: ({ model }) => model },
  usage: {
    type: {
      struct: ['input_tokens', 'cached_input_tokens', 'output_tokens', 'reasoning_tokens'].map((name) =>
        field(name, 'int64'),
      ),
    },
    valueOf: ({ tokens }) => usageOf(tokens),
  },
  finish_reason: { type: 'utf8', valueOf: ({ finishReason }) => finishReason },
  extra: { type: 'utf8', valueOf: ({ extra }) => extra ?? null },
};
const ANSWER_FIELD_LIST = Object.entries(ANSWER_FIELDS);

/** The Arrow type of one message of a recorded conversation: no unions, so that every reader opens it. */
export const RECORDED_MESSAGE = {
  struct: [
    field('role', 'utf8', { nullable: false }),
    field('content', 'utf8'),
    field('reasoning_content', 'utf8'),
    field('tool_calls', {
      list: {
        struct: [
          field('id', 'utf8'),
          field('type', 'utf8'),
          field('function', { struct: [field('name', 'utf8'), field('arguments', 'utf8')] }),
        ],
      },
    }),
    field('tool_call_id', 'utf8'),
    field('content_parts', {
      list: {
        struct: [field('type', 'utf8'), field('text', 'utf8'), field('media_type', 'utf8'), field('url', 'utf8')],
      },
    }),
  ],
} as const satisfies ArrowType;

/** The Arrow type of one trace message. */
export const TRACE_MESSAGE = {
  struct: [...RECORDED_MESSAGE.struct, ...ANSWER_FIELD_LIST.map(([name, { type }]) => field(name, type))],
} as const satisfies ArrowType;

/** The fields of the messages in a column of traces or of recorded conversations. Undefined for another column. */
export function messageFields(type: ArrowType): readonly ArrowField[] | undefined {
  if (typeof type === 'string' || !('list' in type)) return undefined;
  const { list } = type;
  if (typeof list === 'string' || !('struct' in list)) return undefined;
  const { struct: fields } = list;
  // Traces append the stored fields of answers.
  return RECORDED_MESSAGE.struct.every(({ name }, index) => fields[index]?.name === name) ? fields : undefined;
}

/** The fields of an assistant message that are stored and never sent, by name. */
export type AnswerFields = Readonly<Record<string, CellValue>>;

/** The stored fields of an answer. */
export function answerFields(answer: TracedAnswer): AnswerFields {
  return Object.fromEntries(ANSWER_FIELD_LIST.map(([name, { valueOf }]) => [name, valueOf(answer)]));
}

function usageOf({ input, cachedInput, output, reasoning }: TokenCounts): CellValue {
  const counts = [input, cachedInput, output, reasoning].map((count) => (Number.isSafeInteger(count) ? count : null));
  if (counts.every((count) => count === null)) return null;
  const [input_tokens = null, cached_input_tokens = null, output_tokens = null, reasoning_tokens = null] = counts;
  return { input_tokens, cached_input_tokens, output_tokens, reasoning_tokens };
}

/**
 * The message of a request for a message that was stored or made: the one way from traces to requests. It takes the fields
 * that requests have by name and in the order in which requests are hashed, so that no other field is ever sent.
 */
export function toChatMessage(message: ChatMessage | Message): ChatMessage {
  const { role, content, reasoning_content: reasoning, tool_calls: calls, tool_call_id: id } = message;
  const parts = 'content_parts' in message ? message.content_parts?.map(toContentPart) : undefined;
  return {
    role,
    content: parts ?? content,
    ...(typeof reasoning === 'string' ? { reasoning_content: reasoning } : {}),
    ...(calls ? { tool_calls: calls } : {}),
    ...(typeof id === 'string' ? { tool_call_id: id } : {}),
  };
}

function toContentPart({ type, text, media_type: mediaType, url }: TraceContentPart): ContentPart {
  return {
    type,
    ...(text === null ? {} : { text }),
    ...(mediaType === null ? {} : { media_type: mediaType }),
    ...(url === null ? {} : { url }),
  };
}

/** The cells of traces with stored fields, for `hideStored`. */
const traceCells = new WeakSet<object>();

/** Whether a cell is a trace that this run has made. Cells of seeds and of functions are not. */
export function hasStoredAnswers(cell: object): boolean {
  return traceCells.has(cell);
}

/** The contents of a trace cell besides the messages. */
export interface TraceCellParts {
  /** The stored fields of the answers among the messages. */
  readonly answers: ReadonlyMap<ChatMessage, AnswerFields>;
  /** The column of the messages before these, and how many it had; `extra` of the first message names it. */
  readonly history?: { readonly column: string | undefined; readonly messages: number };
}

/**
 * A conversation as a cell: content of several parts moves to `content_parts`, with `content` null. A recorded conversation
 * has no further parts.
 */
export function traceCell(messages: readonly ChatMessage[], parts?: TraceCellParts): CellValue {
  const note = historyNote(parts);
  const cell = messages.map((message, index) => {
    const { content } = message;
    const stored = Array.isArray(content) ? { ...message, content: null, content_parts: content } : message;
    const answer = parts?.answers.get(message);
    return { ...stored, ...(index === 0 && note !== undefined ? withNote(answer, note) : answer) };
  });
  if (parts) traceCells.add(cell);
  return cell as unknown as CellValue;
}

function historyNote({ history }: Partial<TraceCellParts> = {}): Fields | undefined {
  return history?.column === undefined ? undefined : { column: history.column, messages: history.messages };
}

function withNote(answer: AnswerFields | undefined, history: Fields): AnswerFields {
  const extra = typeof answer?.['extra'] === 'string' ? tryParse(answer['extra'], parseVerbatim) : {};
  return { ...answer, extra: stringifyJson({ ...fieldsOf(extra), history }) };
}

/**
 * What templates see of a cell, for its `value` as they read it. A template finds the stored fields of an answer by name; a
 * template that prints or iterates a message does not, so that prompts made of traces stay the same when traces get a
 * further field.
 */
export function hideStored<Value>(value: Value, cell: CellValue): Value {
  if (!Array.isArray(value) || typeof cell !== 'object' || cell === null || !traceCells.has(cell)) return value;
  const views = value.map((message: object) => {
    const view = { ...message };
    for (const name in ANSWER_FIELDS) {
      if (Object.hasOwn(view, name)) Object.defineProperty(view, name, { enumerable: false });
    }
    return view;
  });
  return views as Value;
}
