import { z } from 'zod';
import {
  type ArrowType,
  type Cell,
  type CellValue,
  type ChatMessage,
  DataDesignerError,
  field,
  isFields,
  isList,
  isToolFailure,
  stringifyJson,
  tryParse,
  valueType,
} from '@data-designer/core';
import { columnFields, defineColumn, type RowWith } from '@data-designer/config';
import { compileValue } from '@data-designer/template';
import { ITEMS, schemaNames } from '../schema-names.ts';

const CALLS = {
  list: {
    struct: [field('name', 'utf8'), field('arguments', 'utf8'), field('result', 'utf8'), field('failed', 'bool')],
  },
} as const satisfies ArrowType;

/** A call as it is made. */
interface GivenCall {
  readonly name: string;
  readonly arguments: string;
}

/** Calls of tools that a column gives, made one after the other without a model, as the ground truth of a task. */
export const toolCalls = defineColumn({
  type: 'tool-calls',
  schema: z
    .strictObject({
      ...columnFields('tool-calls'),
      toolAlias: z.string().describe('Alias of the tools to call, from `tool_configs`.'),
      calls: z
        .string()
        .regex(/\S/, { error: 'the text must not be blank; write a text' })
        .describe(
          'A template that gives the list of calls, as in {{ blueprint.calls }}: each with a `name` and `arguments`, an object or JSON text.',
        ),
      onError: z
        .enum(['fail', 'keep'])
        .default('fail')
        .describe(
          'The effect of a failed call: `fail` fails the cell, `keep` keeps the call with its error in the list.',
        ),
    })
    .describe(
      'Calls tools without a model. The cell contains a list of `name`, `arguments`, `result` and `failed`; with an environment, its state is a side effect.',
    ),
  row: valueType<RowWith<{ name: string; arguments: string; result: string; failed: boolean }[]>>(),
  example: {
    name: 'truth',
    column_type: 'tool-calls',
    tool_alias: 'facts',
    calls: '[{"name": "get_fact", "arguments": {"topic": "{{ topic }}"}}]',
    on_error: 'keep',
  },
  templates: ({ calls }) => [{ source: calls, field: ['calls'], role: 'value' }],
  writes: ({ name }) => [field(name, CALLS)],
  toolNames: ({ toolAlias: alias, calls }, columns) => [
    ...writtenNames(calls).map((tool) => ({ alias, tool, field: ['calls'] })),
    ...schemaNames(calls, columns, [ITEMS, 'name']).map(({ name: tool, ...at }) => ({ alias, tool, ...at })),
  ],
  requires: ({ toolAlias }) => ({ models: [], tools: [toolAlias], callsTools: true }),
  cell: ({ name: column, toolAlias, calls, onError }, { templates: mode }) => {
    const valueOf = compileValue(calls, { mode });
    return async (cell: Cell) => {
      const given = callsIn(valueOf(cell.row), column);
      const made: CellValue[] = [];
      for (const call of given) {
        const result = textOf(await cell.callTool(toolAlias, call));
        const failed = isToolFailure(result);
        if (failed && onError === 'fail') throw new DataDesignerError('tool/call-failed', { column, reason: result });
        made.push({ ...call, result, failed });
      }
      return [made];
    };
  },
});

/** Stands for a template, in a string of JSON or alone. */
const RENDERED = '7355608';

/** The names of tools that JSON text with templates writes out; those that a row gives are unknown. */
function writtenNames(source: string): readonly string[] {
  const text = source.replaceAll(/\{\{.*?\}\}/gs, RENDERED);
  const list = tryParse(text, (one): unknown => JSON.parse(one));
  const names = (Array.isArray(list) ? list : []).map((call: unknown) => (isFields(call) ? call['name'] : undefined));
  return names.filter((name) => typeof name === 'string' && !name.includes(RENDERED)) as readonly string[];
}

/** The calls in a value, which may be JSON text. */
function callsIn(value: CellValue, column: string): readonly GivenCall[] {
  const list = typeof value === 'string' ? tryParse(value, (text): unknown => JSON.parse(text)) : value;
  if (!isList(list as CellValue)) {
    const reason = `the calls are no list: ${stringifyJson(value).slice(0, 80)}`;
    throw new DataDesignerError('tool/call-failed', { column, reason });
  }
  return (list as readonly CellValue[]).map((call, at) => {
    const { name, arguments: args = {} } = isFields(call) ? call : {};
    if (typeof name === 'string') return { name, arguments: typeof args === 'string' ? args : stringifyJson(args) };
    throw new DataDesignerError('tool/call-failed', { column, reason: `call ${at + 1} of the list has no name` });
  });
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string' || content === null) return content ?? '';
  return content.map(({ text = '' }) => text).join('\n');
}
