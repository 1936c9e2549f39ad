import {
  type CellValue,
  DataDesignerError,
  fieldsOf,
  isFailure,
  isFields,
  parseJson,
  stringifyJson,
  type Row,
  stringOf,
  type ToolSchema,
  tryParse,
} from '@data-designer/core';
import type { ExampleKind, Examples, TrainingMessage } from '../training-format.ts';
import { NO_ANSWER } from './chats.ts';
import { EQUAL } from './pairs.ts';
import type { FindExamples, Found, Mapping } from './find-examples.ts';
import { requireColumn, type TrainingSource } from './training-source.ts';
import { textOf, valueAt, valueMessages } from './read-messages.ts';

/** The parts that a kind of examples needs, one of these lists, and those that it may have. */
interface Parts<Kind extends ExampleKind> {
  readonly needs: readonly (readonly string[])[];
  readonly read: (part: ReadPart) => Found<Kind>;
}

/** Reads the parts of an example of one row. */
interface ReadPart {
  readonly has: (part: string) => boolean;
  readonly value: (part: string) => CellValue;
  readonly messages: (part: string, role: TrainingMessage['role']) => readonly TrainingMessage[];
  readonly prompt: () => readonly TrainingMessage[];
  readonly tools: () => readonly ToolSchema[];
  readonly info: () => Readonly<Record<string, CellValue>>;
}

const INFO = 'info.';

/** Why a row has no example. */
const UNREADABLE = 'messages or tools that cannot be read';
const NOT_BEGUN = 'a side that does not begin with an answer';

/** The parts of each kind. Every kind may have `system` and `tools`. */
const PARTS: { readonly [Kind in ExampleKind]: Parts<Kind> } = {
  chat: {
    needs: [['messages'], ['prompt', 'completion']],
    read: ({ has, messages, prompt, tools }) => {
      if (has('messages'))
        return { messages: [...messages('system', 'system'), ...messages('messages', 'user')], tools: tools() };
      return { messages: [...prompt(), ...messages('completion', 'assistant')], tools: tools() };
    },
  },
  pair: {
    needs: [['prompt', 'chosen', 'rejected']],
    read: ({ messages, prompt, tools }) => ({
      prompt: prompt(),
      chosen: messages('chosen', 'assistant'),
      rejected: messages('rejected', 'assistant'),
      tools: tools(),
    }),
  },
  task: {
    needs: [['prompt']],
    read: ({ has, value, prompt, tools, info }) => ({
      prompt: prompt(),
      answer: has('answer') ? textOf(value('answer')) : null,
      tools: tools(),
      info: info(),
    }),
  },
};
const OPTIONAL: { readonly [Kind in ExampleKind]: readonly string[] } = {
  chat: ['system', 'tools'],
  pair: ['system', 'tools'],
  task: ['answer', 'info', 'system', 'tools'],
};

/** Why a mapping does not name the parts of a kind of examples; undefined if it does. */
export function mappingProblem(kind: ExampleKind, map: Mapping): string | undefined {
  const { needs } = PARTS[kind];
  const forms = needs.map((parts) => parts.join(', ')).join(' or ');
  const known = new Set([...needs.flat(), ...OPTIONAL[kind]]);
  const isKnown = (part: string): boolean => known.has(part) || (kind === 'task' && part.startsWith(INFO));
  const unknown = Object.keys(map).find((part) => !isKnown(part));
  const also = `${OPTIONAL[kind].join(', ')}${kind === 'task' ? ' and info.NAME' : ''}`;
  if (unknown !== undefined) return `has no part '${unknown}'; its parts are ${forms}, and ${also}`;
  const given = needs.filter((parts) => parts.every((part) => Object.hasOwn(map, part)));
  if (given.length === 0) return `must name ${forms}; it may name ${also}`;
  return given.length > 1 ? `names ${forms}; name one of these` : undefined;
}

/**
 * The examples that columns hold; throws `dataset/no-column` for one that the dataset lacks. A row throws `dataset/no-chats`
 * for values that are no messages or tools; with `lossy`, it has no example.
 */
export function findMapped<Kind extends ExampleKind>(
  kind: Kind,
  source: TrainingSource,
  { map, lossy = false }: { readonly map: Mapping; readonly lossy?: boolean | undefined },
): FindExamples<Kind> {
  for (const column of Object.values(map)) requireColumn(source, column);
  const { read } = PARTS[kind];
  const missing = (part: string): Found<Kind> => ({ missing: `no value of ${part} (${map[part]})` });
  return (values, row) => {
    const empty = Object.keys(map).find((part) => !isOptional(part) && isEmpty(partValue(values, map[part] ?? '')));
    if (empty !== undefined) return [missing(empty)];
    try {
      return [checked(read(partsOf({ values, row, map })))];
    } catch (thrown) {
      if (lossy && isFailure(thrown, 'dataset/no-chats')) return [{ missing: UNREADABLE }];
      throw thrown;
    }
  };
}

/** The value at a path; null where there is none, and for a number that JSON has no form for. */
export function partValue(values: Row, path: string): CellValue {
  const value = valueAt(values, path) ?? null;
  return typeof value === 'number' && !Number.isFinite(value) ? null : value;
}

function isEmpty(value: CellValue): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/** Whether a part may be null in a row. */
function isOptional(part: string): boolean {
  return part === 'system' || part === 'tools' || part === 'info' || part.startsWith(INFO);
}

/** A conversation and the sides of a pair end with an answer, and the sides begin with one and differ. */
function checked<Kind extends ExampleKind>(found: Found<Kind>): Found<Kind> {
  const example = found as Partial<Examples['chat'] & Examples['pair']>;
  const { chosen, rejected } = example;
  const isBegun = [chosen, rejected].every((side) => !side || side[0]?.role === 'assistant');
  if (!isBegun) return { missing: NOT_BEGUN };
  if (chosen && stringifyJson(chosen) === stringifyJson(rejected)) return { missing: EQUAL };
  const sides = [example.messages, example.chosen, example.rejected].filter((side) => side !== undefined);
  const isAnswered = sides.every((side) => side.at(-1)?.role === 'assistant' && !side.at(-1)?.tool_calls);
  return isAnswered ? found : { missing: NO_ANSWER };
}

interface MappedRow {
  readonly values: Row;
  readonly row: number;
  readonly map: Mapping;
}

function partsOf({ values, row, map }: MappedRow): ReadPart {
  const has = (part: string): boolean => Object.hasOwn(map, part);
  const value = (part: string): CellValue => (has(part) ? partValue(values, map[part] ?? '') : null);
  const messages = (part: string, role: TrainingMessage['role']): readonly TrainingMessage[] =>
    valueMessages(value(part), { role, column: map[part] ?? part, row });
  return {
    has,
    value,
    messages,
    prompt: () => [...messages('system', 'system'), ...messages('prompt', 'user')],
    tools: () => toolsOf(value('tools'), { column: map['tools'] ?? '', row }),
    info: () => {
      const whole = value('info');
      const members = Object.keys(map).filter((part) => part.startsWith(INFO));
      return {
        ...(isFields(whole) ? whole : whole === null ? {} : { [map['info'] ?? '']: whole }),
        ...Object.fromEntries(members.map((part) => [part.slice(INFO.length), value(part)])),
      };
    },
  };
}

/** A list of tools, or its JSON text, in the form of OpenAI or of MCP. Throws `dataset/no-chats` for another value. */
function toolsOf(
  value: CellValue,
  { column, row }: { readonly column: string; readonly row: number },
): readonly ToolSchema[] {
  const list = typeof value === 'string' ? tryParse(value, parseJson) : value;
  if (list === null) return [];
  if (!Array.isArray(list)) throw noTools(column, row);
  return list.map((one: CellValue): ToolSchema => {
    const tool = fieldsOf(fieldsOf(one).function ?? one);
    const name = stringOf(tool.name);
    if (name === null) throw noTools(column, row);
    const parameters = fieldsOf(tool.parameters ?? tool.inputSchema ?? tool.input_schema);
    return { type: 'function', function: { name, description: stringOf(tool.description) ?? '', parameters } };
  });
}

function noTools(column: string, row: number): DataDesignerError {
  const reason = `row ${row} of '${column}' is not a list of tools with names`;
  const remedy = 'Map a column of tools in the form of OpenAI or of MCP, or of their JSON text.';
  return new DataDesignerError('dataset/no-chats', { path: `The column '${column}'`, reason, remedy });
}
