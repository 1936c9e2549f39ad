import { readForm } from '@data-designer/config';
import type { ColumnConfig } from '@data-designer/core';
import { expect, test } from 'vitest';
import { llmText } from './llm-text/llm-text.ts';
import { ITEMS, schemaNames } from './schema-names.ts';
import { toolCalls } from './tool-calls/tool-calls.ts';

const call = (name: object) => ({ type: 'object', properties: { name, arguments: { type: 'object' } } });

function planned(outputFormat: unknown): ReadonlyMap<string, ColumnConfig> {
  const column = { name: 'plan', columnType: 'llm-structured', drop: false, skip: null, propagateSkip: true };
  return new Map([['plan', { ...column, outputFormat } as ColumnConfig]]);
}

function namesIn(outputFormat: unknown, source = '{{ plan.calls }}'): readonly string[] {
  return schemaNames(source, planned(outputFormat), [ITEMS, 'name']).map(({ name, column, field }) => {
    return `${column}.${field.join('.')}: ${name}`;
  });
}

const plan = (items: unknown, more: object = {}) => ({ properties: { calls: { type: 'array', items } }, ...more });

test('the names in the schema of a column are found where a template reads it', () => {
  const at = 'plan.outputFormat.properties.calls.items';
  expect(namesIn(plan(call({ enum: ['move', 3, 'read'] })))).toEqual([
    `${at}.properties.name.enum.0: move`,
    `${at}.properties.name.enum.2: read`,
  ]);
  expect(namesIn(plan({ anyOf: [call({ const: 'move' }), call({ const: 'read' })] }))).toEqual([
    `${at}.anyOf.0.properties.name.const: move`,
    `${at}.anyOf.1.properties.name.const: read`,
  ]);
  expect(namesIn(plan({ $ref: '#/$defs/call' }, { $defs: { call: call({ enum: ['move'] }) } }))).toEqual([
    'plan.outputFormat.$defs.call.properties.name.enum.0: move',
  ]);
});

test('other values of a template have no known names', () => {
  const schema = plan(call({ enum: ['move'] }));
  for (const source of ['{{ other.calls }}', '{{ plan }}', '{{ plan.calls[:1] }}', '{{ plan.calls | list }}', '[]'])
    expect(namesIn(schema, source)).toEqual([]);
  expect(namesIn('{{ schema }}')).toEqual([]);
  expect(namesIn(plan({ $ref: '#/properties/calls/items' }))).toEqual([]);
});

test('a column names the tools in the schema of the column that gives its calls, or its tools', () => {
  const field = ['outputFormat', 'properties', 'calls', 'items'];
  const tool = { alias: 'bank', tool: 'move', column: 'plan' };
  const given = { name: 'truth', column_type: 'tool-calls', tool_alias: 'bank', calls: '{{ plan.calls }}' };
  const truth = toolCalls.schema.parse(readForm(toolCalls.schema, given));
  expect(toolCalls.toolNames?.(truth, planned(plan(call({ const: 'move' }))))).toEqual([
    { ...tool, field: [...field, 'properties', 'name', 'const'] },
  ]);
  const asked = { name: 'work', column_type: 'llm-text', model_alias: 'agent', prompt: 'x', tool_alias: 'bank' };
  const work = llmText.schema.parse(readForm(llmText.schema, { ...asked, allow_tools: '{{ plan.calls }}' }));
  expect(llmText.toolNames?.(work, planned(plan({ enum: ['move'] })))).toEqual([
    { ...tool, field: [...field, 'enum', 0] },
  ]);
});
