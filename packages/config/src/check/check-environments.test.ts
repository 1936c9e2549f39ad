import { field } from '@data-designer/core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ColumnRegistry } from '../column-registry.ts';
import { columnFields, defineColumn } from '../define-column.ts';
import { parseDataset } from '../parse-dataset.ts';
import { checkDataset } from './check-dataset.ts';

const fields = (type: string) => ({
  ...columnFields(type),
  prompt: z.string(),
  toolAlias: z.string().default('bank-tools'),
  names: z.array(z.string()).default([]),
  namesOf: z.string().exactOptional(),
});

/** A column that asks a model with tools. */
const asked = defineColumn({
  type: 'asked',
  schema: z.strictObject(fields('asked')),
  templates: ({ prompt }) => [{ source: prompt, field: ['prompt'], role: 'prompt' }],
  writes: ({ name }) => [field(name, 'utf8')],
  requires: ({ toolAlias }) => ({ models: ['agent'], tools: [toolAlias] }),
  toolNames: ({ toolAlias: alias, names, namesOf: column }, columns) =>
    names.map((tool, at) => {
      return { alias, tool, field: ['names', at], ...(column !== undefined && columns.has(column) && { column }) };
    }),
  cell: () => () => [''],
});

/** The same for all rows of a group together. */
const grouped = defineColumn({
  type: 'grouped',
  schema: z.strictObject(fields('grouped')),
  templates: ({ prompt }) => [{ source: prompt, field: ['prompt'], role: 'prompt' }],
  writes: ({ name }) => [field(name, 'utf8')],
  requires: ({ toolAlias }) => ({ models: ['agent'], tools: [toolAlias] }),
  group: () => () => Promise.resolve([]),
});

/** A column that renders a text without a model. */
const said = defineColumn({
  type: 'said',
  schema: z.strictObject({ ...columnFields('said'), expr: z.string() }),
  templates: ({ expr }) => [{ source: expr, field: ['expr'], role: 'expression' }],
  writes: ({ name }) => [field(name, 'utf8')],
  cell: () => () => [''],
});

const registry = new ColumnRegistry([asked, grouped, said]);
const bank = { name: 'bank', kind: 'sqlite', schema: 'CREATE TABLE t (n)', tools: [{ name: 'look', sql: 'SELECT 1' }] };
const ask = (name: string, prompt: string, more: object = {}) => ({ name, column_type: 'asked', prompt, ...more });

function check(columns: readonly object[], environments: readonly object[] = [bank], aliases: readonly object[] = []) {
  const document = {
    model_configs: [{ alias: 'agent', model: 'm', provider: 'acme' }],
    tool_configs: [{ tool_alias: 'bank-tools', providers: ['bank'] }, ...aliases],
    environments,
    columns,
  };
  const parsed = parseDataset(document, registry);
  const processes = new Map([
    ['disk', { namesRowFolder: true }],
    ['clock', { namesRowFolder: false }],
  ]);
  const tools = ['docs', 'functions', ...processes.keys()];
  const offered = new Map([['functions', { names: ['sum'], prefix: 'f_' }]]);
  const found = checkDataset(parsed, {
    registry,
    providers: { models: ['acme'], tools, processes, offered: () => offered },
  });
  return [...parsed.violations, ...found]
    .filter(({ type }) => type !== 'prompt_without_references')
    .map(({ type, level, path, message }) => `${level} ${type} ${path}: ${message}`);
}

test.each([
  ['one column', [ask('a', 'x')]],
  ['columns that follow each other by the cell', [ask('a', 'x'), ask('b', '{{ a }}')]],
  ['columns that follow each other by the state', [ask('b', '{{ a__state }}'), ask('a', 'x')]],
  ['columns that follow each other by a third', [ask('a', 'x'), ask('b', '{{ a }}'), ask('c', '{{ b }}')]],
])('%s may use an environment', (_, columns) => {
  expect(check(columns)).toEqual([]);
});

test('columns that do not wait for each other are named with the environment', () => {
  const found = check([ask('a', 'x'), ask('b', '{{ a }}'), ask('c', '{{ a }}')]);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain('ERROR unordered_environment columns[2]');
  expect(found[0]).toContain("'b' and 'c' both use the environment 'bank', and neither waits for the other");
});

test('columns with environments of their own need no order', () => {
  const shop = { ...bank, name: 'shop' };
  const aliases = [{ tool_alias: 'shop-tools', providers: ['shop'] }];
  expect(check([ask('a', 'x'), ask('b', 'x', { tool_alias: 'shop-tools' })], [bank, shop], aliases)).toEqual([]);
});

test('a column for all rows of a group cannot use the environment of one row', () => {
  const [found = '', ...others] = check([{ ...ask('a', 'x'), column_type: 'grouped' }]);
  expect(found).toContain('ERROR group_column columns[0]');
  expect(found).toContain("cannot use the environment 'bank' of one row");
  expect(others).toEqual([]);
});

test.each<[string, readonly object[], string]>([
  [
    'two of one name',
    [bank, bank],
    "ERROR duplicate_name environments[1].name: there are two environments named 'bank'.",
  ],
  [
    'the name of an MCP provider',
    [bank, { ...bank, name: 'docs' }],
    "ERROR duplicate_name environments[1].name: there is also an MCP provider named 'docs'",
  ],
  ['one without users', [bank, { ...bank, name: 'shop' }], 'WARNING unused_environment environments[1].name'],
  ['a broken template', [{ ...bank, schema: '{{ x' }], 'environments[0].schema'],
  ['a column that is not there', [{ ...bank, schema: '{{ tables }}' }], "'tables'"],
  [
    'the same where no column uses it',
    [bank, { ...bank, name: 'shop', seed: '{{ gone }}' }],
    "there is no column 'gone'",
  ],
])('a mistake is found: %s', (_, environments, expected) => {
  const found = check([ask('a', 'x')], environments);
  expect(found.join('\n')).toContain(expected);
  expect(found.filter((one) => one.includes(expected))).toHaveLength(1);
});

test('what an environment reads must be made before the column that uses it', () => {
  const world = { ...bank, schema: '{{ tables }}' };
  const plain = ask('tables', 'x', { tool_alias: 'docs-tools' });
  const aliases = [{ tool_alias: 'docs-tools', providers: ['docs'] }];
  expect(check([ask('a', 'x'), plain], [world], aliases)).toEqual([]);
  // A column that makes the world it uses waits for itself.
  expect(check([ask('tables', 'x')], [world]).join()).toMatch(/cycl|itself|depend/i);
});

test('a column for all rows of a group cannot stand between two that use an environment', () => {
  const between = { name: 'g', column_type: 'grouped', prompt: '{{ a }}', tool_alias: 'docs-tools' };
  const docs = [{ tool_alias: 'docs-tools', providers: ['docs'] }];
  expect(check([ask('a', 'x'), between, ask('b', '{{ g }}')], [bank], docs)).toEqual([
    "ERROR group_column columns[2].tool_alias: the column 'g' is made for all rows of a row group together, between two columns that use the environment 'bank': all its worlds would be open at a time.",
  ]);
  expect(check([ask('a', 'x'), ask('b', '{{ a }}'), between], [bank], docs)).toEqual([]);
});

const server = (provider: string) => ({ name: 'bank', kind: 'mcp', provider });

test('the server of a row is a process of a known provider', () => {
  expect(check([ask('a', 'x')], [server('disk')])).toEqual([]);
  expect(check([ask('a', 'x')], [server('clock')])).toEqual([]);
  expect(check([ask('a', 'x')], [server('docs')])).toEqual([
    "ERROR unusable_provider environments[0].provider: 'docs' is no MCP provider of type stdio: only a server that is started as a child process can belong to one row.",
  ]);
  expect(check([ask('a', 'x')], [server('desk')])).toEqual([
    "ERROR unknown_provider environments[0].provider: there is no MCP provider 'desk'.",
  ]);
});

test('two environments over one server need a prefix in one tool config', () => {
  const second = (toolPrefix?: string) => ({
    ...server('disk'),
    name: 'other',
    ...(toolPrefix !== undefined && { tool_prefix: toolPrefix }),
  });
  const both = [{ tool_alias: 'both', providers: ['bank', 'other', 'other'] }];
  const message =
    "ERROR duplicate_tools tool_configs[1].providers[1]: 'bank' and 'other' have the tools of the provider 'disk', under the same names.";
  expect(check([ask('a', 'x')], [server('disk'), second()], both)).toEqual([message]);
  expect(check([ask('a', 'x')], [server('disk'), second('other_')], both)).toEqual([]);
  expect(check([ask('a', 'x')], [{ ...server('disk'), tool_prefix: 'other_' }, second('other_')], both)).toEqual([
    message,
  ]);
  const apart = [{ tool_alias: 'apart', providers: ['other'] }];
  expect(check([ask('a', 'x')], [server('disk'), second()], apart)).toEqual([]);
  expect(check([ask('a', 'x')], [server('clock')], [{ tool_alias: 'both', providers: ['bank', 'clock'] }])).toEqual([
    "ERROR duplicate_tools tool_configs[1].providers[1]: 'bank' and 'clock' have the tools of the provider 'clock', under the same names.",
  ]);
});

test('a server whose arguments name the folder of a row cannot be shared', () => {
  const shared = [{ tool_alias: 'shared', providers: ['clock', 'disk'] }];
  expect(check([ask('a', 'x', { tool_alias: 'shared' })], [], shared)).toContainEqual(
    "ERROR unusable_provider tool_configs[1].providers[1]: the arguments of the provider 'disk' name the folder of a row, {{ row_dir }}, which only a server of one row has.",
  );
});

test('the model of an environment is checked where the environment names it, once', () => {
  const shop = { name: 'bank', kind: 'simulated', tools: [{ name: 'buy' }] };
  const columns = [ask('a', 'x'), ask('b', '{{ a }}')];
  expect(check(columns, [{ ...shop, model_alias: 'agent' }])).toEqual([]);
  expect(check(columns, [{ ...shop, model_alias: 'agnet' }])).toEqual([
    "ERROR unknown_model_alias environments[0].model_alias: there is no model config with the alias 'agnet'.",
  ]);
});

test('a column that an environment reads and that is not there is named where it is read', () => {
  expect(check([ask('a', 'x')], [{ ...bank, rows: { t: '{{ gone }}' } }]).join('\n')).toContain(
    "ERROR unknown_column environments[0].rows.t: there is no column 'gone'.",
  );
});

test.each([
  ['[{"n": 1}, {"n": 2}]', ''],
  ['[{"n": 1,}]', 'ERROR invalid_json environments[0].rows.t: the text is no JSON, as rows.t of'],
  ['[{"n": 1}', 'ERROR invalid_json environments[0].rows.t'],
  ['[{"n": {{ n }}}]', ''],
  ['[{"n": {{ n }}]', 'WARNING invalid_json environments[0].rows.t'],
  ['{{ list }}', 'WARNING invalid_json columns[1].expr: the text is no JSON, as rows.t of'],
  ['{{ list | upper }}', ''],
  ['[{% for i in range(2) %}{"n": 1},{% endfor %}]', ''],
])('JSON of a table that cannot be read is found before a run: %s', (text, expected) => {
  const list = { name: 'list', column_type: 'said', expr: '[{"n": {{ n }}]' };
  const number = { name: 'n', column_type: 'said', expr: '1' };
  const found = check([ask('a', 'x'), list, number], [{ ...bank, rows: { t: text } }]);
  const told = found.filter((one) => one.includes('invalid_json'));
  expect(told.map((one) => one.slice(0, expected.length))).toEqual(expected === '' ? [] : [expected]);
});

const someTools = (allow_tools: readonly string[], providers: readonly string[] = ['bank']) => [
  { tool_alias: 'some', providers, allow_tools },
];

test('names of tools are compared with those that are known before a run', () => {
  const named = (names: readonly string[], more: object = {}) => [
    ask('a', 'x', { tool_alias: 'some', names, ...more }),
  ];
  expect(check(named([]), [bank], someTools(['look', 'lok']))).toEqual([
    "ERROR unknown_tool tool_configs[1].allow_tools[1]: no provider of the tools 'some' offers a tool 'lok'.",
  ]);
  expect(check([ask('a', 'x')], [bank], someTools(['lok']))).toEqual([
    "WARNING unknown_tool tool_configs[1].allow_tools[0]: no provider of the tools 'some' offers a tool 'lok'.",
  ]);
  const both = ['bank', 'functions'];
  expect(check(named(['look', 'f_sum', 'sum', 'functions/sum']), [bank], someTools(['f_sum', 'look'], both))).toEqual(
    [],
  );
  expect(check(named(['look', 'add']), [bank], someTools(['look'], both))).toEqual([
    "ERROR unknown_tool columns[0].names[1]: no provider of the tools 'some' offers a tool 'add'.",
  ]);
  const owner = { name: 'b', column_type: 'said', expr: '1' };
  expect(check([...named(['add'], { names_of: 'b' }), owner], [bank], someTools(['look'], both))).toEqual([
    "ERROR unknown_tool columns[1].names[0]: no provider of the tools 'some' offers a tool 'add'.",
  ]);
  expect(check(named(['anything']), [bank], someTools(['lok'], ['bank', 'docs']))).toEqual([]);
  const prefixed = { ...bank, tool_prefix: 'bank_' };
  expect(check(named(['bank_look', 'look']), [prefixed], someTools(['bank_look']))).toEqual([]);
});
