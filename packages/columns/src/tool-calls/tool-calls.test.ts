import type { Cell, ChatMessage, Row } from '@data-designer/core';
import { readForm } from '@data-designer/config';
import { expect, test } from 'vitest';
import { toolCalls } from './tool-calls.ts';

function columnOf(more: object = {}) {
  const column = { name: 'truth', column_type: 'tool-calls', tool_alias: 'bank', calls: '{{ calls }}', ...more };
  return toolCalls.schema.parse(readForm(toolCalls.schema, column));
}

/** Makes a cell with tools that answer with their arguments; `fail` fails. */
async function make(row: Row, more: object = {}) {
  const called: string[] = [];
  const callTool = (alias: string, { name, arguments: args }: { name: string; arguments: string }) => {
    called.push(`${alias} ${name} ${args}`);
    const content = name === 'fail' ? `Error: Tool 'fail' failed: no` : args;
    return Promise.resolve<ChatMessage>({ role: 'tool', content });
  };
  const { cell } = toolCalls as Extract<typeof toolCalls, { cell: unknown }>;
  const made = cell(columnOf(more), { templates: 'secure', constraints: [] });
  const [value] = await made({ row, callTool } as unknown as Cell);
  return { value, called };
}

const CALLS = [{ name: 'move', arguments: { amount: 3 } }, { name: 'read', arguments: '{"id":"a"}' }, { name: 'list' }];

test.each([
  ['a list', CALLS],
  ['JSON text', JSON.stringify(CALLS)],
])('the calls of %s are made in their order', async (_, calls) => {
  expect(await make({ calls })).toEqual({
    called: ['bank move {"amount":3}', 'bank read {"id":"a"}', 'bank list {}'],
    value: [
      { name: 'move', arguments: '{"amount":3}', result: '{"amount":3}', failed: false },
      { name: 'read', arguments: '{"id":"a"}', result: '{"id":"a"}', failed: false },
      { name: 'list', arguments: '{}', result: '{}', failed: false },
    ],
  });
});

test('an empty list makes no calls', async () => {
  expect(await make({ calls: [] })).toEqual({ called: [], value: [] });
});

test('a call that fails ends the cell, or stays with its error', async () => {
  const calls = [{ name: 'fail' }, { name: 'list' }];
  await expect(make({ calls })).rejects.toMatchObject({ code: 'tool/call-failed' });
  const { value, called } = await make({ calls }, { on_error: 'keep' });
  expect(called).toHaveLength(2);
  expect(value).toMatchObject([{ failed: true, result: "Error: Tool 'fail' failed: no" }, { failed: false }]);
});

test.each([
  ['text', 'no list: "text"'],
  [{ name: 'a' }, 'no list'],
  [null, 'no list: null'],
  [[{ name: 'a' }, { arguments: {} }], 'call 2 of the list has no name'],
])('%j is no list of calls', async (calls, reason) => {
  await expect(make({ calls })).rejects.toThrow(reason);
});

test('it requires tools and no model, and reads its template', () => {
  expect(toolCalls.requires?.(columnOf())).toEqual({ models: [], tools: ['bank'], callsTools: true });
  expect(toolCalls.templates?.(columnOf())).toEqual([{ source: '{{ calls }}', field: ['calls'], role: 'value' }]);
});

const names = (calls: string) => toolCalls.toolNames?.(columnOf({ calls }), new Map()).map(({ tool }) => tool);

test('it names the tools that its calls write out, and not those that a row gives', () => {
  const written = '[{"name": "get", "arguments": {"name": "{{ id }}"}}, {"name": "{{ other }}"}, {"name": "put"}]';
  expect(names(written)).toEqual(['get', 'put']);
  expect(names('{{ calls }}')).toEqual([]);
});
