import { expect, test } from 'vitest';
import { z } from 'zod';
import { field } from '@data-designer/core';
import { changesSince, describeChange } from './changes-since.ts';
import { ColumnRegistry } from './column-registry.ts';
import { columnFields, defineColumn } from './define-column.ts';
import { identityOf } from './fingerprint.ts';
import { parseDataset } from './parse-dataset.ts';
import { writeDataset } from './write-dataset.ts';

/** A column that calls a model. */
const told = defineColumn({
  type: 'told',
  schema: z.strictObject({
    ...columnFields('told'),
    modelAlias: z.string().default('writer'),
    prompt: z.string().default('Say it.'),
    params: z.record(z.string(), z.unknown()).default({}),
  }),
  writes: ({ name }) => [field(name, 'utf8')],
  requires: ({ modelAlias }) => ({ models: [modelAlias], tools: [] }),
  cell: () => () => [''],
});

const registry = new ColumnRegistry([told]);
const writer = { alias: 'writer', model: 'small', provider: 'acme' };
const tell = (name: string, more: object = {}) => ({ name, column_type: 'told', ...more });

/** The changes between two documents, as path and message. */
function changes(before: object, after: object): string[] {
  const [first, second] = [before, after].map((document) => parseDataset(document, registry)) as [Parsed, Parsed];
  const found = changesSince({ data_designer: writeDataset(first.config, registry) }, second, registry);
  const isSame = identityOf(first.config, registry) === identityOf(second.config, registry);
  expect(isSame).toBe(found.length === 0);
  return found.map(({ path, message }) => `${path}: ${message}`);
}
type Parsed = ReturnType<typeof parseDataset>;

const SMALL = { model_configs: [writer], columns: [tell('a')] };

test('a changed key is named with its column and both values', () => {
  expect(changes(SMALL, { ...SMALL, columns: [tell('a', { prompt: 'Tell it.' })] })).toEqual([
    "columns[0].prompt: column 'a': it was 'Say it.' when the dataset was started, and is now 'Tell it.'.",
  ]);
});

test('a path is spelt as in the config, and keys of data keep their spelling', () => {
  const params = { my_key: { inner: 1 } };
  const before = { modelConfigs: [writer], columns: [{ name: 'a', columnType: 'told', params }] };
  const columns = [{ ...before.columns[0], modelAlias: 'other', params: { my_key: { inner: 2 } } }];
  expect(changes({ dataDesigner: before }, { dataDesigner: { ...before, columns } })).toEqual([
    "dataDesigner.columns[0].modelAlias: column 'a': it was 'writer' when the dataset was started, and is now 'other'.",
    "dataDesigner.columns[0].params.my_key.inner: column 'a': it was 1 when the dataset was started, and is now 2.",
  ]);
});

const of = (...columns: object[]) => ({ model_configs: [writer], columns });

test('added, removed and reordered columns are named', () => {
  const [one, two] = [tell('a'), tell('b')];
  expect(changes(of(one), of(one, two))).toEqual(["columns[1]: the dataset was started without the column 'b'."]);
  expect(changes(of(one, two), of(two))).toEqual([
    "columns: the dataset was started with the column 'a', which is missing now.",
  ]);
  expect(changes(of(one, two), of(two, one))).toEqual([
    "columns: the columns are in another order: number 1 was 'a', and is now 'b'.",
  ]);
});

test('a change of a model in use is named; limits and unused models are none', () => {
  const spare = { alias: 'spare', model: 'x', provider: 'acme' };
  const using = (...model_configs: object[]) => ({ ...SMALL, model_configs });
  expect(changes(SMALL, using(spare, { ...writer, model: 'large' }))).toEqual([
    "model_configs[1].model: model 'writer': it was 'small' when the dataset was started, and is now 'large'.",
  ]);
  expect(changes(SMALL, using(spare, { ...writer, inference_parameters: { timeout: 5 } }))).toEqual([]);
  expect(changes(using(writer), using({ ...writer, inference_parameters: { temperature: 0.5 } }))).toEqual([
    "model_configs[0].inference_parameters.temperature: model 'writer': it was not set when the dataset was started, and is now 0.5.",
  ]);
});

test('a document that is no declaration has no changes to name', () => {
  expect(changesSince('text', parseDataset(SMALL, registry), registry)).toEqual([]);
});

const change = (before: unknown, after: unknown, key = 'x') => describeChange({ path: ['params', key], before, after });

test('a long value is cut around the difference', () => {
  const long = 'word '.repeat(30);
  const said = change(`${long}one${long}`, `${long}two${long}`);
  expect(said).toMatch(/^it was '…[\w ]*one[\w ]*…' when the dataset was started, and is now '…[\w ]*two[\w ]*…'\.$/);
  expect(said.length).toBeLessThan(200);
});

const listed = (before: unknown[], after: unknown[]) =>
  changes(of(tell('a', { params: { list: before } })), of(tell('a', { params: { list: after } }))).map((one) =>
    one.replace(/^columns\[0\]\.params\./, ''),
  );

test('a list in another order is one change, also of mappings', () => {
  expect(listed(['x', 'y', 'z'], ['x', 'z', 'y'])).toEqual([
    "list: column 'a': its 3 values are in another order: number 2 was 'y' when the dataset was started, and is now 'z'.",
  ]);
  expect(listed([{ n: 1 }, { n: 2 }], [{ n: 2 }, { n: 1 }])).toEqual([
    'list: column \'a\': its 2 values are in another order: number 1 was {"n":1} when the dataset was started, and is now {"n":2}.',
  ]);
});

test('added and removed values of a list are counted, and the first ones named', () => {
  expect(listed(['a', 'b'], ['b', 'c', 'd', 'e', 'f', 'g'])).toEqual([
    "list: column 'a': it had 2 values when the dataset was started, and has 6 now: 'c', 'd', 'e' and 2 more were added, 'a' was removed.",
  ]);
  expect(listed([1, 1, 2], [1, 2, 2])).toEqual([
    "list[1]: column 'a': it was 1 when the dataset was started, and is now 2.",
  ]);
  expect(listed([1, 2, 3], [1, 4, 5])).toEqual([
    "list: column 'a': it had 3 values when the dataset was started, and has 3 now: 4, 5 were added, 2, 3 were removed.",
  ]);
  expect(listed([{ n: 1 }, 2], [{ n: 3 }, 4])).toEqual([
    "list[0].n: column 'a': it was 1 when the dataset was started, and is now 3.",
    "list[1]: column 'a': it was 2 when the dataset was started, and is now 4.",
  ]);
});

test('secrets are not shown', () => {
  expect(change(['sk-1', 'sk-2'], ['sk-2', 'sk-1'], 'api_keys')).not.toMatch(/sk-\d/);

  expect(change('sk-1', 'sk-2', 'api_key')).not.toMatch(/sk-\d/);
  expect(change({ api_key: 'sk-1', n: 1 }, { api_key: 'sk-2' })).toContain('"api_key":"(hidden)"');
  expect(change('https://host/?token=abc', 'https://host/?token=def')).not.toMatch(/abc|def/);
});
