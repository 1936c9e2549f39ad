import { DataDesigner, DataDesignerConfigBuilder, functionOfModule } from 'data-designer';
import { afterAll, expect, test } from 'vitest';

type Rows = readonly { readonly number: number }[];

const designer = new DataDesigner({ runConfig: { seed: 4, bufferSize: 8 } });
const ROWS = 16;

afterAll(() => designer[Symbol.asyncDispose]());

function declared(validationFunction: (rows: never) => unknown, more: object = {}, params: object = {}) {
  return new DataDesignerConfigBuilder()
    .addColumn({
      name: 'number',
      columnType: 'sampler',
      samplerType: 'category',
      params: { values: Array.from({ length: 50 }, (_, number) => number) },
    })
    .addColumn({
      name: 'checked',
      columnType: 'validation',
      targetColumns: ['number'],
      validatorType: 'local_callable',
      validatorParams: { validatorType: 'local_callable', validationFunction: validationFunction as never, ...params },
      batchSize: 3,
      ...more,
    });
}

/** Judges nothing. */
function remember(rows: Rows) {
  return rows.map(({ number }) => ({ is_valid: null, was: number }));
}

/** Judges all alike, the second of each batch with something more. */
const give = (more: object) => (rows: Rows) =>
  rows.map((_, at) => ({ is_valid: true, score: 1, ...(at === 1 && more) }));

async function made(...given: Parameters<typeof declared>) {
  const results = await designer.preview(declared(...given), { numRecords: ROWS });
  return { lost: results.lost, records: await Array.fromAsync(results.records()) };
}

test('a function validates the target columns in batches, and results stay with their rows', async () => {
  const sizes: number[] = [];
  const { records } = await made((rows: Rows) => {
    sizes.push(rows.length);
    expect(Object.keys(rows[0] ?? {})).toEqual(['number']);
    return rows.map(({ number }) => ({ is_valid: number % 2 === 0, was: number }));
  });
  expect(sizes.toSorted((a, b) => a - b)).toEqual([2, 2, 3, 3, 3, 3]);
  for (const { number, checked } of records) expect(checked).toEqual({ is_valid: number % 2 === 0, was: number });
});

test('skipped rows are not validated and do not shift the others', async () => {
  const { records } = await made(remember, { skip: { when: '{{ number % 3 == 0 }}' } });
  for (const { number, checked } of records) {
    expect(checked).toEqual(number % 3 === 0 ? null : { is_valid: null, was: number });
  }
});

test('a validation function of a module runs in the worker threads', { tags: 'long' }, async () => {
  const check = functionOfModule(new URL('./custom-functions.ts', import.meta.url), 'areEven');
  const { records } = await made(check);
  for (const { number, checked } of records) expect(checked).toEqual({ is_valid: number % 2 === 0 });
});

test('a bad result loses its row, a failed batch its rows', async () => {
  let batches = 0;
  const bad = await made((rows: Rows) => rows.map((_, at) => (at === 0 ? { is_valid: 'yes' } : { is_valid: true })));
  expect(bad.lost).toMatchObject([{ code: 'column/bad-result', rows: 6 }]);
  expect(bad.lost[0]?.message).toMatch(/is_valid must be true, false or null in each result, but is a string/);
  const failing = await made((rows: Rows) => {
    if (batches++ === 0) throw new Error('no luck');
    return rows.map(() => ({ is_valid: true }));
  });
  expect(failing.lost).toMatchObject([{ code: 'function/threw' }]);
  expect(failing.records).toHaveLength(ROWS - (failing.lost[0]?.rows ?? 0));
  expect(failing.lost[0]?.rows).toBeLessThanOrEqual(3);
});

test.each([
  ['fewer results', (rows: Rows) => rows.slice(1), /received 3 rows but returned 2 results/],
  ['no list', () => ({ is_valid: true }), /must return a list with one result per row, but returned an object/],
  ['no objects', (rows: Rows) => rows.map(() => true), /an object with is_valid, but one is a boolean/],
  ['no is_valid', (rows: Rows) => rows.map(() => ({})), /is_valid .* but is not there/],
])('%s are reported', async (_, check, message) => {
  await expect(made(check)).rejects.toThrow(message);
});

test('each result is checked against the schema, and undeclared members are removed', { tags: 'long' }, async () => {
  const row = {
    type: 'object',
    properties: { is_valid: { type: 'boolean' }, score: { type: 'integer', minimum: 1 } },
    required: ['is_valid', 'score'],
  };
  const outputSchema = { type: 'object', properties: { data: { type: 'array', items: row } }, required: ['data'] };
  expect((await made(give({}), {}, { outputSchema })).lost).toEqual([]);
  expect((await made(give({ score: 0 }), {}, { outputSchema })).lost).toMatchObject([{ rows: 6 }]);
  expect((await made(give({ more: 1 }), {}, { outputSchema })).lost).toMatchObject([{ rows: 6 }]);
});

test('a result that is not plain data loses its row, also with a schema', async () => {
  const date = { at: new Date(0) };
  for (const params of [{}, { outputSchema: { type: 'object' } }]) {
    const { lost, records } = await made(give(date), {}, params);
    expect(records).toHaveLength(ROWS - 6);
    expect(lost).toMatchObject([{ code: 'function/bad-value', rows: 6 }]);
    expect(lost[0]?.message).toContain('its result[1].at is a Date');
  }
});

test('an error names the wrong result and ends in one full stop', async () => {
  const items = { type: 'object', properties: { is_valid: {}, score: { minimum: 1 } } };
  const data = { type: 'array', items, minItems: 2 };
  const { lost } = await made(give({ score: 0 }), {}, { outputSchema: { type: 'object', properties: { data } } });
  expect(lost).toMatchObject([{ rows: 6 }]);
  expect(lost[0]?.message).toMatch(/returned an unusable result: 'data\[1\]\.score' must be >= 1, but it is 0\.$/);
});
