import type { Plan, Row } from '@data-designer/core';
import { expect, test } from 'vitest';
import type { ExampleKind } from '../training-format.ts';
import { findMapped } from './mapped.ts';

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

/** The example of a row whose columns are named by their parts. */
function exampleOf(kind: ExampleKind, values: Readonly<Record<string, unknown>>, lossy = false) {
  const fields = Object.keys(values).map((name) => ({ name }));
  const source = { folder: 'made', plan: { fields } as unknown as Plan, tools: {}, tables: [], version: '0' };
  const map = Object.fromEntries(Object.keys(values).map((name) => [name, name]));
  return findMapped(kind, source, { map, lossy })(values as Row, 3)[0];
}

test.each([NaN, Infinity, null, []])('a row with %j as its answer or its prompt has no task', (value) => {
  expect(exampleOf('task', { prompt: 'q', answer: value })).toEqual({ missing: 'no value of answer (answer)' });
  expect(exampleOf('task', { prompt: value, answer: 'a' })).toEqual({ missing: 'no value of prompt (prompt)' });
});

test('a number that JSON has no form for is null where a value may be absent', () => {
  const { info } = exampleOf('task', { prompt: 'q', 'info.n': NaN, info: { m: 1 } }) as { info: object };
  expect(info).toEqual({ m: 1, n: null });
  expect(exampleOf('chat', { prompt: 'q', completion: 'a', system: NaN })).toMatchObject({
    messages: [user('q'), assistant('a')],
  });
});

test.each([
  [[user('q'), assistant('a')], 'b'],
  ['a', [user('q'), assistant('b')]],
])('a pair whose sides repeat the prompt is left out: %j, %j', (chosen, rejected) => {
  const missing = 'a side that does not begin with an answer';
  expect(exampleOf('pair', { prompt: 'q', chosen, rejected })).toEqual({ missing });
});

test.each([
  { messages: [{ role: 'tool', content: 'r', tool_call_id: 'x' }, assistant('a')] },
  { messages: [{ role: 'critic', content: 'r' }, assistant('a')] },
  { messages: [user('q'), assistant('a')], tools: 'no tools' },
])('%j fails, and is left out where the export may be lossy', (values) => {
  expect(() => exampleOf('chat', values)).toThrow(/^The column '(?:messages|tools)' contains no conversations: row 3 /);
  expect(() => exampleOf('chat', values)).not.toThrow(/\.\./);
  expect(exampleOf('chat', values, true)).toEqual({ missing: 'messages or tools that cannot be read' });
});
