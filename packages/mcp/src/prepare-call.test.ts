import { expect, test } from 'vitest';
import type { PlannedTools, ToolCall, ToolSchema } from '@data-designer/core';
import { prepareCall } from './prepare-call.ts';
import { catalogOf } from './tool-catalog.ts';

const config: PlannedTools = { alias: 'a', providers: ['p', 'q'], allowTools: null, maxToolCallTurns: 1, timeoutMs: 9 };

function tool(name: string, properties = {}): ToolSchema {
  return { type: 'function', function: { name, description: '', parameters: { type: 'object', properties } } };
}

const tag = tool('tag', { tags: { type: 'array', items: { type: 'string' } }, n: { type: 'integer' } });
const names = ['admin.tools.list', '搜索', 'browser:click', 'Query', 'same.a', 'same:a', 'search'];

const catalog = catalogOf(config, [
  { provider: 'p', tools: [tag, ...names.map((name) => tool(name))] },
  { provider: 'q', tools: [{ ...tool('search'), prefix: 'q_' }, tool('hide')] },
]);

/** The request of a call, or why there is none. */
function prepared(name: string, args: string, tools = catalog): unknown {
  const call: ToolCall = { id: 'c', type: 'function', function: { name, arguments: args } };
  const outcome = prepareCall(call, tools);
  if (outcome.kind === 'ready') return [outcome.resource, outcome.body];
  return outcome.kind === 'failed' ? outcome.reason : outcome;
}

test.each([
  ['nothing', '', '{}'],
  ['blanks', ' \n', '{}'],
  ['null', 'null', '{}'],
  ['the text null', '"null"', '{}'],
  ['an empty text', '""', '{}'],
  ['an empty list', '[]', '{}'],
  ['JSON text of an object', JSON.stringify('{"n":12345678901234567890}'), '{"n":12345678901234567890}'],
  ['a code fence', '```json\n{"n":1}\n```', '{"n":1}'],
  ['a code fence without a language', '```\n{"n":1}```', '{"n":1}'],
  ['a list as JSON text', '{"tags":"[\\"a\\"]"}', '{"tags":["a"]}'],
  ['a number as text', '{"n":"7"}', '{"n":7}'],
  ['an optional null', '{"n":null}', '{}'],
  ['a text with a fence in it', '{"x":"```json\\n{}\\n```"}', '{"x":"```json\\n{}\\n```"}'],
])('arguments may be %s', (_claim, args, sent) => {
  expect(prepared('tag', args)).toEqual(['tools/p', `{"name":"tag","arguments":${sent}}`]);
});

test.each([
  ['plain text', '"go"', 'its arguments must be a JSON object, not a string'],
  ['text encoded twice', JSON.stringify(JSON.stringify('{}')), 'its arguments must be a JSON object, not a string'],
  ['a list with items', '[1]', 'its arguments must be a JSON object, not an array'],
  ['half a fence', '```json\n{"n":1}', 'its arguments are not valid JSON'],
  ['deep JSON text', JSON.stringify('['.repeat(600)), 'its arguments must be a JSON object, not a string'],
])('arguments may not be %s', (_claim, args, reason) => {
  expect(prepared('tag', args)).toBe(reason);
});

test.each([
  ['admin.tools.list', 'p', 'admin.tools.list'],
  ['admin_tools_list', 'p', 'admin.tools.list'],
  ['搜索', 'p', '搜索'],
  ['browser:click', 'p', 'browser:click'],
  ['functions.tag', 'p', 'tag'],
  ['p__tag', 'p', 'tag'],
  ['mcp__p__browser:click', 'p', 'browser:click'],
  [' Tag ', 'p', 'tag'],
  ['query', 'p', 'Query'],
  ['q_search', 'q', 'search'],
  ['q.search', 'q', 'search'],
  ['search', 'p', 'search'],
  ['same.a', 'p', 'same.a'],
])('the name %j runs the tool of %s named %s', (name, provider, own) => {
  expect(prepared(name, '{}')).toEqual([`tools/${provider}`, `{"name":"${own}","arguments":{}}`]);
});

test.each(['functions.search', 'SEARCH', 'same_a', 'r__tag'])(
  'the name %s, which may mean several tools or none, runs none',
  (name) => {
    expect(prepared(name, '{}')).toMatch(/^there is no tool of this name/);
  },
);

test('a hidden tool is not run by its own name', () => {
  const shown = catalogOf({ ...config, allowTools: ['tag'] }, [{ provider: 'p', tools: [tag, tool('admin.list')] }]);
  expect(prepared('admin.list', '{}', shown)).toMatch(/^it is not allowed here/);
  expect(prepared('TAG', '{}', shown)).toEqual(['tools/p', '{"name":"tag","arguments":{}}']);
});

test('of two tools of one name in one server the first is offered, and the other is reported', () => {
  const other = tool('tag', { other: {} });
  const { tools, schemas, dropped } = catalogOf(config, [{ provider: 'p', tools: [tag, other] }]);
  expect(schemas).toEqual([tag]);
  expect([...tools.keys()]).toEqual(['tag']);
  expect(dropped).toMatchObject([{ name: 'tag', dropped: expect.stringContaining('before it') as unknown }]);
});
