import {
  type CustomGenerator,
  customColumn,
  DataDesigner,
  DataDesignerConfigBuilder,
  functionOfModule,
} from 'data-designer';
import { afterAll, expect, test } from 'vitest';
import { forget, givesDate } from './custom-functions.ts';

const designer = new DataDesigner({ runConfig: { seed: 4, bufferSize: 4 } });
const MODULE = new URL('./custom-functions.ts', import.meta.url);
const ROWS = 8;

afterAll(() => designer[Symbol.asyncDispose]());

/** What becomes of rows with one custom column. */
async function made(generator: CustomGenerator<unknown>, more: object = {}) {
  const config = new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'writer', model: 'sim-small', provider: 'simulator' })
    .addColumn({ name: 'topic', columnType: 'sampler', samplerType: 'category', params: { values: ['moon', 'salt'] } })
    .addColumn({ name: 'loud', columnType: 'custom', generatorFunction: generator, ...more });
  const results = await designer.preview(config, { numRecords: ROWS });
  return { lost: results.lost, records: await Array.fromAsync(results.records()) };
}

/** What a library of observed state gives: it behaves like plain data, and cannot be cloned. */
const observed = <Value extends object>(value: Value): Value => new Proxy(value, {});

const numbers = Array.from({ length: ROWS }, (_, row) => row);

test('a proxy returned by a function is stored as its data', async () => {
  const { records } = await made(
    customColumn({ generate: (_, { cell }) => observed({ loud: observed([observed({ row: cell.rowIndex })]) }) }),
  );
  expect(records.map(({ loud }) => loud)).toEqual(numbers.map((row) => [{ row }]));
});

test('a request may contain a proxy, and a recorded outcome may be one', { tags: 'long' }, async () => {
  const shape = { type: 'object', properties: observed({ word: observed({ type: 'string' }) }), required: ['word'] };
  const generator = customColumn({
    modelAliases: ['writer'],
    generate: async (_, { cell }) => {
      const question = observed({ modelAlias: 'writer', prompt: `A word, ${cell.rowIndex}.`, shape: observed(shape) });
      const { value } = await cell.ask<unknown>(question);
      return { loud: [Object.keys(value as object), await cell.recordOutcome('state', () => observed({ a: 1 }))] };
    },
  });
  const { records } = await made(generator);
  for (const { loud } of records) expect(loud).toEqual([['word'], { a: 1 }]);
});

test('a getter that throws in a result is a bad value with its path', async () => {
  const unreadable = {
    get loud(): number {
      throw new Error('not yet');
    },
  };
  await expect(made(customColumn({ generate: () => unreadable }))).rejects.toMatchObject({
    code: 'run/no-rows',
    message: expect.stringMatching(
      /returned a value that a dataset cannot store: its result\.loud is unreadable: not yet/,
    ) as string,
  });
});

test.each(['in this program', 'in the workers'])(
  'a request made %s need not be awaited',
  { tags: 'long' },
  async (where) => {
    const generate = where === 'in this program' ? (forget as never) : functionOfModule(MODULE, 'forget');
    const { records, lost } = await made(customColumn({ modelAliases: ['writer'], generate }));
    expect(records.map(({ loud }) => loud)).toEqual([0, 2, 4, 6]);
    expect(lost).toMatchObject([{ code: 'function/threw', rows: 4 }]);
  },
);

test.each(['in this program', 'in the workers'])(
  'one bad value of a full column made %s loses its row only',
  async (where) => {
    const generate = where === 'in this program' ? (givesDate as never) : functionOfModule(MODULE, 'givesDate');
    const { records, lost } = await made(customColumn({ generate }), { generationStrategy: 'full_column' });
    expect(records.map(({ loud }) => loud)).toEqual([0, 2, 3, 0, 2, 3]);
    expect(lost).toMatchObject([{ code: 'function/bad-value', rows: 2 }]);
    expect(lost[0]?.message).toContain('its result[1].loud is a Date');
  },
);
