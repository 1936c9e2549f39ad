import { expect, test } from 'vitest';
import {
  type ArrowField,
  type Cell,
  type ColumnConfig,
  fieldsOf,
  itemsOf,
  type Row,
  type Surroundings,
} from '@data-designer/core';
import { readForm, writeForm } from '@data-designer/config';
import { llmCode } from '../llm-code/llm-code.ts';
import { llmText } from '../llm-text/llm-text.ts';
import { resultsSchema } from './results-schema.ts';
import { validation } from './validation.ts';

const { schema } = validation;
const asked = { prompt: 'Go on from {{ a }}', modelAlias: 'm' };
const script = llmCode.schema.parse({ name: 'script', columnType: 'llm-code', codeLang: 'python', ...asked });
const query = llmCode.schema.parse({ name: 'query', columnType: 'llm-code', codeLang: 'sql:mysql', ...asked });
const prose = llmText.schema.parse({ name: 'prose', columnType: 'llm-text', ...asked });

/** The columns above, and a seed column known only by its name. */
const dataset: Surroundings = {
  templates: 'secure',
  constraints: [],
  columns: new Map([script, query, prose].map((one): [string, ColumnConfig] => [one.name, one])),
  has: (name) => ['script', 'query', 'prose', 'seeded'].includes(name),
};

function parse(more: object) {
  const document = {
    name: 'lint',
    column_type: 'validation',
    target_columns: ['script'],
    validator_type: 'code',
    validator_params: { code_lang: 'python' },
  };
  return schema.safeParse(readForm(schema, { ...document, ...more }));
}

function column(more: object = {}) {
  const parsed = parse(more);
  if (!parsed.success) throw parsed.error;
  return parsed.data;
}

const place = (index: number) => ({ stage: 'validate', field: ['targetColumns', index] });

function check(...targets: readonly string[]) {
  return validation.check?.(column({ target_columns: targets }), dataset);
}

test('reads its targets and requires no models or tools', () => {
  const config = column({ target_columns: ['script', 'query'] });
  expect(validation.reads?.(config)).toEqual([
    { name: 'script', field: ['targetColumns', 0] },
    { name: 'query', field: ['targetColumns', 1] },
  ]);
  expect(validation.requires?.(config)).toEqual({ models: [], tools: [] });
});

/** The field names of the written cell, and of its nested structs. */
function members(more: object): readonly unknown[] {
  const [cell] = validation.writes(column(more)) as [ArrowField];
  const { struct } = cell.type as { readonly struct: readonly ArrowField[] };
  return struct.map(({ name, type }) =>
    typeof type === 'object' && 'struct' in type ? { [name]: type.struct.map((inner) => inner.name) } : name,
  );
}

test('writes the verdict, and for several targets one verdict under each name', () => {
  const sql = ['is_valid', 'error_messages'];
  expect(members({ validator_params: { code_lang: 'sql:ansi' } })).toEqual(sql);
  expect(members({ validator_params: { code_lang: 'sql:ansi' }, target_columns: ['a', 'a'] })).toEqual(sql);
  expect(members({ validator_params: { code_lang: 'sql:ansi' }, target_columns: ['a', 'b'] })).toEqual([
    { a: sql },
    { b: sql },
  ]);
  expect(members({ ...TRAJECTORY, validator_params: {} })).toEqual(['is_valid', 'findings']);
  expect(members({})).toEqual(['is_valid', 'python_linter_score', 'python_linter_severity', 'python_linter_messages']);
});

test.each([
  ['code', { code_lang: 'python' }],
  ['remote', { endpoint_url: 'https://check.example.org' }],
  ['local_callable', { validation_function: (rows: readonly unknown[]) => rows }],
])('the params of %s get the validator type of the column', (validator_type, validator_params) => {
  const config = column({ validator_type, validator_params });
  expect(config.validatorParams.validatorType).toBe(validator_type);
  expect(Object.keys(config.validatorParams)[0]).toBe('validatorType');
});

test('both key spellings load, and a written config loads as the same config', () => {
  const config = column({ batch_size: '4' });
  const { name, columnType, targetColumns, validatorType } = config;
  const written = { name, columnType, targetColumns, validatorType, validatorParams: { codeLang: 'python' } };
  expect(schema.parse(readForm(schema, { ...written, batchSize: 4 }))).toEqual(config);
  expect(schema.parse(readForm(schema, writeForm(schema, config)))).toEqual(config);
});

test('the batch size defaults to ten rows', () => {
  expect(column().batchSize).toBe(10);
});

test.each([
  ['a lone name as targets', { target_columns: 'script' }, ['targetColumns']],
  ['a batch of nothing', { batch_size: 0 }, ['batchSize']],
  ['an unknown validator', { validator_type: 'sql' }, ['validatorType']],
  ['a language that cannot be checked', { validator_params: { code_lang: 'java' } }, ['validatorParams', 'codeLang']],
  ['no parameters', { validator_params: null }, ['validatorParams']],
  [
    'a function by its name',
    { validator_type: 'local_callable', validator_params: { validation_function: 'my_check' } },
    ['validatorParams', 'validationFunction'],
  ],
])('%s does not load', (_, more, path) => {
  expect(parse(more).error?.issues.map((issue) => issue.path)).toContainEqual(path);
});

test('accepts code in the language of the validator', () => {
  expect(check('script')).toEqual([]);
});

test('reports the error of each target, as the Python tool does', () => {
  expect(check('ghost', 'prose', 'script', 'query', 'seeded')).toMatchObject([
    { ...place(0), type: 'code_column_missing', level: 'ERROR' },
    { ...place(1), type: 'code_column_not_code', level: 'WARNING' },
    { ...place(3), type: 'code_lang_mismatch', level: 'ERROR' },
    { ...place(4), type: 'code_column_not_code', level: 'WARNING' },
  ]);
});

test('an empty list of targets loads, and the check reports an error', () => {
  expect(check()).toMatchObject([{ stage: 'run', type: 'no_targets', level: 'ERROR', field: ['targetColumns'] }]);
});

test('the targets of other validators are not checked', () => {
  const validator_params = { endpoint_url: 'https://check.example.org' };
  const config = column({ target_columns: ['ghost', 'prose'], validator_type: 'remote', validator_params });
  expect(validation.check?.(config, dataset)).toEqual([]);
});

test('params of another validator load, and the check reports an error', () => {
  const config = column({ validator_params: { validator_type: 'remote', endpoint_url: 'x' } });
  expect(config.validatorParams).toMatchObject({ validatorType: 'remote', timeout: 30 });
  expect(validation.check?.(config, dataset)).toMatchObject([
    { stage: 'run', type: 'validator_mismatch', level: 'ERROR', field: ['validatorParams', 'validatorType'] },
  ]);
});

/** The findings for a results schema, the same for remote and local validators. */
function findingsOf(row: object) {
  const output_schema = { type: 'object', properties: { data: { type: 'array', items: row } } };
  const [remote, local] = (
    [
      ['remote', { endpoint_url: 'https://check.example.org' }],
      ['local_callable', { validation_function: (rows: readonly unknown[]) => rows }],
    ] as const
  ).map(([validator_type, params]) =>
    validation.check?.(column({ validator_type, validator_params: { ...params, output_schema } }), dataset),
  );
  expect(local).toEqual(remote);
  return remote;
}

test.each(['id', 'not', 'if', 'contains', 'dependencies', 'propertyNames', '$id', 'oneOf'])(
  'closes a schema with a property named %s like any other',
  (name) => {
    const properties = { is_valid: { type: 'boolean' }, [name]: { type: 'object', properties: { const: {} } } };
    expect(findingsOf({ type: 'object', properties })).toEqual([]);
    const { schema: closed, isClosed } = resultsSchema({ type: 'object', properties, enum: [{ not: {} }] });
    expect(isClosed).toBe(true);
    expect(closed).toMatchObject({
      additionalProperties: false,
      properties: { [name]: { additionalProperties: false } },
    });
  },
);

test.each([
  { not: { required: ['a'] } },
  { properties: { a: { contains: {} } } },
  { patternProperties: { if: { if: {} } } },
  { anyOf: [{ propertyNames: {} }] },
  { $defs: { a: { oneOf: [{}] } } },
])('warns that the schema %j leaves properties of results unchecked', (row) => {
  expect(findingsOf(row)).toMatchObject([
    { type: 'open_schema', level: 'WARNING', field: ['validatorParams', 'outputSchema'] },
  ]);
});

test('the check reports an invalid results schema as an error', () => {
  expect(findingsOf({ type: 'nothing' })).toMatchObject([{ type: 'unusable_schema', level: 'ERROR' }]);
});

const TRAJECTORY = { validator_type: 'trajectory', target_columns: ['chat'] };
const CALL = { id: 'c', type: 'function', function: { name: 'find', arguments: '{"n":"1"}' } };
const CHAT = [
  { role: 'user', content: 'Find one.' },
  { role: 'assistant', content: null, tool_calls: [CALL] },
  { role: 'tool', content: 'one', tool_call_id: 'c' },
  { role: 'assistant', content: 'I am ChatGPT.<|im_end|>' },
];
const FIND = {
  type: 'function',
  function: { name: 'find', description: '', parameters: { type: 'object', properties: { n: { type: 'integer' } } } },
} as const;

/** The verdict on a row, with the tools of each alias and the aliases that were asked for. */
async function judge(params: object, row: Row) {
  const aliases: string[] = [];
  const toolSchemas = async (alias: string) => {
    aliases.push(alias);
    return [FIND];
  };
  const config = column({ ...TRAJECTORY, validator_params: params });
  const made = 'made' in validation ? validation.made(config, dataset) : undefined;
  if (!made || !('cell' in made)) throw new Error('no cell');
  const cell = { row, toolSchemas } as unknown as Cell;
  const [verdict] = await made.cell(cell);
  await made.cell(cell);
  return { verdict, aliases };
}

/** The findings as `message kind`. */
function kindsOf(verdict: unknown): readonly string[] {
  return itemsOf(fieldsOf(verdict)['findings']).map((finding) => {
    const { message, kind } = fieldsOf(finding);
    return `${String(message)} ${String(kind)}`;
  });
}

test('a conversation is checked against the tools of an alias, which are listed once', async () => {
  const { verdict, aliases } = await judge({ tool_alias: 'shop' }, { chat: CHAT });
  expect(verdict).toMatchObject({ is_valid: false });
  expect(kindsOf(verdict)).toEqual(['1 bad_arguments', '3 raw_markup', '3 other_identity']);
  expect(aliases).toEqual(['shop']);
});

test('a conversation is checked against the tools of its row', async () => {
  const { verdict, aliases } = await judge({ tools_column: 'offered' }, { chat: CHAT, offered: '["search"]' });
  expect(kindsOf(verdict)).toContain('1 unknown_tool');
  expect(aliases).toEqual([]);
});

test('findings that are ignored do not count', async () => {
  const { verdict } = await judge({ identity: ['ChatGPT'], ignore: ['raw_markup'] }, { chat: CHAT });
  expect(verdict).toEqual({ is_valid: true, findings: [] });
});

test('null is not judged, nor is a value without messages', async () => {
  expect((await judge({}, { chat: null })).verdict).toEqual({ is_valid: null, findings: [] });
  const { verdict } = await judge({}, { chat: 'Hello.' });
  expect(verdict).toMatchObject({ is_valid: null, findings: [{ message: null, kind: 'not_messages' }] });
});

test('reads the column with tools, requires the tools of an alias, and no model', () => {
  const reading = column({ ...TRAJECTORY, validator_params: { tools_column: 'offered' } });
  expect(validation.reads?.(reading)).toContainEqual({ name: 'offered', field: ['validatorParams', 'toolsColumn'] });
  const asking = column({ ...TRAJECTORY, validator_params: { tool_alias: 'shop' } });
  expect(validation.requires?.(asking)).toEqual({ models: [], tools: ['shop'] });
  expect(validation.check?.(asking, dataset)).toEqual([]);
});

test('tools are given by an alias or a column', () => {
  const both = column({ ...TRAJECTORY, validator_params: { tool_alias: 'shop', tools_column: 'offered' } });
  expect(validation.check?.(both, dataset)).toMatchObject([{ field: ['validatorParams', 'toolsColumn'] }]);
});
