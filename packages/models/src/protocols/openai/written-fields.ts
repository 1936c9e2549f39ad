import { type ChatMessage, type Fields, fieldsOf, isFields, itemsOf } from '@data-designer/core';
import { furtherMembers } from '../../answers/further-members.ts';

/** The fields of an answer that this product does not use itself, and that its endpoint may need back. */
export interface WrittenFields {
  readonly message: Fields;
  /** Those of each tool call, in order. */
  readonly calls: readonly { readonly call: Fields; readonly function: Fields }[];
}

/** Fields that requests write themselves, or that only answers have. */
const OWN_OF_MESSAGE: ReadonlySet<string> = new Set([
  'role',
  'content',
  'tool_calls',
  'function_call',
  'refusal',
  'annotations',
  'audio',
  'images',
]);
const OWN_OF_CALL: ReadonlySet<string> = new Set(['id', 'type', 'function']);
const OWN_OF_FUNCTION: ReadonlySet<string> = new Set(['name', 'arguments']);
/** The names that endpoints give to the text of the reasoning. */
export const REASONING_TEXTS = ['reasoning', 'reasoning_content', 'reasoning_text', 'thinking'] as const;
/** A field that holds the reasoning replaces `reasoning_content`. */
const REASONING = [...REASONING_TEXTS, 'reasoning_details'] as const;
const REASONING_NAMES: ReadonlySet<string> = new Set(REASONING);

/** The fields to send back, such as reasoning and signatures; undefined without any. Null says nothing and is left out. */
export function writtenFields(message: Fields): WrittenFields | undefined {
  const calls = itemsOf(message.tool_calls)
    .filter(isFields)
    .map((call) => ({
      call: others(call, OWN_OF_CALL),
      function: others(fieldsOf(call.function), OWN_OF_FUNCTION),
    }));
  const { content } = message;
  const own = others(message, OWN_OF_MESSAGE);
  const written = Array.isArray(content) && content.some(isThinking) ? { ...own, content } : own;
  const isEmpty = [written, ...calls.flatMap((parts) => [parts.call, parts.function])].every(
    (fields) => Object.keys(fields).length === 0,
  );
  return isEmpty ? undefined : { message: written, calls };
}

/** What traces store apart, and positions, which say nothing. */
const STORED: ReadonlySet<string> = new Set([...REASONING_TEXTS, 'content', 'index']);

/** The fields that no field of a trace stores; undefined without any. */
export function furtherFields({ message, calls }: WrittenFields): unknown {
  const [own] = furtherMembers([message], STORED);
  const parts = calls.map(({ call, function: called }) => {
    return { ...call, ...(Object.keys(called).length > 0 ? { function: called } : {}) };
  });
  const further = furtherMembers(parts, STORED);
  if (!own && further.length === 0) return undefined;
  return {
    ...(own ? { message: { ...own, at: undefined } } : {}),
    ...(further.length > 0 ? { tool_calls: further } : {}),
  };
}

/**
 * The fields of an answer in the history, from what `furtherFields` gave. Reasoning goes back with tool calls, which some
 * endpoints refuse without it, or where the message has its reasoning.
 */
export function returnedFields(message: ChatMessage, further: unknown): WrittenFields | undefined {
  if (further === undefined) return undefined;
  const { message: own, tool_calls: parts } = fieldsOf(further);
  const fields = others(fieldsOf(own), OWN_OF_MESSAGE);
  const isKept = message.tool_calls !== undefined || message.reasoning_content !== undefined;
  const byPosition = new Map(itemsOf(parts).map((part) => [Number(fieldsOf(part).at), fieldsOf(part)]));
  return {
    message: isKept ? fields : others(fields, REASONING_NAMES),
    calls: (message.tool_calls ?? []).map((_, at) => {
      const { at: __, function: called, ...call } = byPosition.get(at) ?? {};
      return { call: others(call, OWN_OF_CALL), function: others(fieldsOf(called), OWN_OF_FUNCTION) };
    }),
  };
}

/** Whether a part of an answer is reasoning. */
export function isThinking(part: unknown): boolean {
  const { type } = fieldsOf(part);
  return type === 'thinking' || type === 'reasoning';
}

/** A message of a request with the fields of its answer. */
export function withWrittenFields(message: unknown, { message: written, calls }: WrittenFields): Fields {
  const hasReasoning = REASONING.some((name) => name in written) || 'content' in written;
  const { reasoning_content: reasoning, tool_calls: own, ...rest } = fieldsOf(message);
  return {
    ...rest,
    ...(hasReasoning || reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(own
      ? {
          tool_calls: itemsOf(own)
            .map(fieldsOf)
            .map((call, index) => ({
              ...call,
              ...calls[index]?.call,
              function: { ...fieldsOf(call.function), ...calls[index]?.function },
            })),
        }
      : {}),
    ...written,
  };
}

function others(fields: Fields, own: ReadonlySet<string>): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== null && !own.has(name)));
}
