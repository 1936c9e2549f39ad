import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import {
  customColumn,
  DataDesigner,
  DataDesignerConfigBuilder,
  functionOfModule,
  ParseFailure,
  type CustomGenerator,
} from 'data-designer';
import { afterEach, beforeEach, expect, expectTypeOf, test } from 'vitest';
import type { RunEvent } from '@data-designer/engine';
import { records as examples } from '../configs/custom-columns.ts';

let artifactPath: string;

beforeEach(() => {
  artifactPath = mkdtempSync(join(tmpdir(), 'custom-'));
});

afterEach(() => {
  rmSync(artifactPath, { recursive: true });
});

const ROWS = 12;
const MODULE = new URL('./custom-functions.ts', import.meta.url);

function start() {
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'writer', model: 'sim-small', provider: 'simulator' })
    .addColumn({
      name: 'topic',
      columnType: 'sampler',
      samplerType: 'category',
      params: { values: ['moon', 'salt', 'bees'] },
    });
}

function designer(more: object = {}): DataDesigner {
  return new DataDesigner({ artifactPath, runConfig: { seed: 4, bufferSize: 5, ...more } });
}

const shared = designer();

/** A preview with one column of a generator. */
async function previewOf(generator: CustomGenerator<unknown>, more: object = {}, numRecords = ROWS) {
  const events: RunEvent[] = [];
  const config = start().addColumn({ name: 'loud', columnType: 'custom', generatorFunction: generator, ...more });
  const results = await shared.preview(config, { numRecords, onEvent: (event) => events.push(event) });
  return { results, events, records: await Array.fromAsync(results.records()) };
}

test('a function of the program makes a column and its side effects, typed, on the thread of the program', async () => {
  const generator = customColumn({
    requiredColumns: ['topic'],
    sideEffectColumns: ['length'],
    generate: (row: { readonly topic: string }, { params }) => {
      expect(isMainThread).toBe(true);
      expect(Object.keys(row)).toEqual(['topic']);
      return { ...row, loud: row.topic.toUpperCase() + String(params['mark']), length: row.topic.length };
    },
  });
  const config = start().addColumn({
    name: 'loud',
    columnType: 'custom',
    generatorFunction: generator,
    generatorParams: { mark: '!' },
  });
  const results = await designer().preview(config, { numRecords: ROWS });
  const records = await Array.fromAsync(results.records());
  expect(records).toHaveLength(ROWS);
  for (const { topic, loud, length } of records) {
    expect([loud, length]).toEqual([`${topic.toUpperCase()}!`, topic.length]);
  }
  expectTypeOf<(typeof records)[number]['loud']>().toEqualTypeOf<string>();
  expectTypeOf<(typeof records)[number]['length']>().toEqualTypeOf<number>();
});

test('a function of a module runs in the worker threads', async () => {
  const generate = functionOfModule(MODULE, 'shout');
  const { records } = await previewOf(customColumn({ requiredColumns: ['topic'], generate }), {
    generatorParams: { mark: '?' },
  });
  for (const { topic, loud } of records) expect(loud).toBe(`${topic}?`);
});

test('a full_column function receives all rows of a row group at once', async () => {
  const sizes: number[] = [];
  const generator = customColumn({
    requiredColumns: ['topic'],
    generate: (rows: readonly { readonly topic: string }[], { cells }) => {
      sizes.push(rows.length);
      return rows.map(({ topic }, index) => ({ loud: `${topic} ${cells[index]?.rowIndex}` }));
    },
  });
  const { records } = await previewOf(generator, { generationStrategy: 'full_column' });
  expect(sizes.toSorted((a, b) => a - b)).toEqual([2, 5, 5]);
  records.forEach(({ topic, loud }, index) => expect(loud).toBe(`${topic} ${index}`));
});

test('a parser that refuses an answer lets the model correct itself', { tags: 'long' }, async () => {
  let refused = 0;
  const generator = customColumn({
    requiredColumns: ['topic'],
    modelAliases: ['writer'],
    generate: async ({ topic }, { cell }) => {
      let tries = 0;
      const { value, messages } = await cell.ask({
        modelAlias: 'writer',
        prompt: `Say something of ${String(topic)}, number ${cell.rowIndex}.`,
        parse: (text: string) => {
          if (tries++ === 0) throw new ParseFailure('Once more, please.');
          refused++;
          return new Map([[text.length, text]]);
        },
      });
      return { loud: [value instanceof Map, messages.length, messages.at(-2)?.content] };
    },
  });
  const config = start().addColumn({ name: 'loud', columnType: 'custom', generatorFunction: generator });
  const results = await designer({ maxConversationCorrectionSteps: 1 }).preview(config, { numRecords: ROWS });
  const records = await Array.fromAsync(results.records());
  expect(refused).toBe(ROWS);
  for (const { loud } of records) expect(loud).toEqual([true, 4, expect.stringContaining('Once more, please.')]);
  expect(results.usage['writer']?.requests).toBe(2 * ROWS);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('no luck');
    },
    /columns\.loud\.generatorFunction threw: no luck/,
  ],
  [
    'throws a text',
    () => {
      throw 'plainly';
    },
    /plainly/,
  ],
  ['gives nothing', () => undefined, /its result is undefined/],
  ['gives a text', () => 'loud', /an object with 'loud', but returned a string/],
  ['gives a list', () => [], /a list/],
  ['leaves its column out', () => ({ quiet: 1 }), /result has no value for 'loud'; it has quiet/],
  ['gives a date', () => ({ loud: [new Date()] }), /its result\.loud\[0\] is a Date/],
  ['gives undefined inside', () => ({ loud: { a: undefined } }), /loud\.a is undefined/],
  ['gives a function', () => ({ loud: () => 1 }), /loud is a function/],
  ['gives no number', () => ({ loud: NaN }), /loud is NaN/],
  [
    'gives a circle',
    () => {
      const a: unknown[] = [];
      a.push(a);
      return { loud: a };
    },
    /contains itself/,
  ],
  [
    'asks a model that it has not declared',
    (_: object, { cell }: { cell: { ask: (q: object) => unknown } }) => cell.ask({ modelAlias: 'writer', prompt: 'x' }),
    /it uses 'writer', which its modelAliases \(none\) do not include; add it there/,
  ],
])('a function that %s loses its rows and reports why', async (_, generate, message) => {
  // Ten failures would end the run before its last rows, if those are not made yet.
  const one = previewOf(customColumn({ generate: generate as never }), {}, 5);
  await expect(one).rejects.toMatchObject({ code: 'run/no-rows', message: expect.stringMatching(message) as string });
});

test('with on_failure null a row continues without its cell', async () => {
  const generator = customColumn({
    generate: (_, { cell }) => {
      if (cell.rowIndex % 2 === 0) throw new Error('even');
      return { loud: cell.rowIndex };
    },
  });
  const { records } = await previewOf(generator, { onFailure: 'null' });
  expect(records.map(({ loud }) => loud)).toEqual(Array.from({ length: ROWS }, (_, row) => (row % 2 ? row : null)));
});

test('integers of any size are stored exactly', async () => {
  const { records } = await previewOf(customColumn({ generate: () => ({ loud: [2n ** 70n, 1] }) }));
  expect(records[0]?.loud).toEqual([2n ** 70n, 1]);
});

test('values for undeclared columns are left out and reported once', async () => {
  const { events } = await previewOf(customColumn({ generate: () => ({ loud: 1, quiet: 2 }) }));
  expect(events.filter(({ type }) => type === 'column-log')).toEqual([
    { type: 'column-log', column: 'loud', message: expect.stringContaining("'quiet'") as string },
  ]);
});

test('a full column with too few rows loses its row group, one bad value only its row', async () => {
  const short = customColumn({ generate: () => [{ loud: 1 }] });
  await expect(previewOf(short, { generationStrategy: 'full_column' })).rejects.toThrow(
    /received 5 rows but returned 1/,
  );
  const bad = customColumn({
    generate: (rows: readonly object[]) => rows.map((_, at) => (at === 1 ? {} : { loud: at })),
  });
  const { results } = await previewOf(bad, { generationStrategy: 'full_column' });
  expect(results.lost).toMatchObject([{ code: 'column/bad-result', rows: 3 }]);
});

test('a missing module ends the run', async () => {
  const missing = functionOfModule('./no-such-module.ts', 'shout');
  await expect(previewOf(customColumn({ generate: missing }))).rejects.toMatchObject({ code: 'function/unavailable' });
  const unnamed = functionOfModule(MODULE, 'whisper');
  await expect(previewOf(customColumn({ generate: unnamed }))).rejects.toThrow(/exports no function 'whisper'/);
});

test('a stopped run abandons a function that never ends and reports it', async () => {
  const stop = new AbortController();
  let told: AbortSignal | undefined;
  const generator = customColumn({
    generate: (_, { signal }) => {
      told = signal;
      setTimeout(() => stop.abort(), 50);
      return new Promise<{ loud: number }>(() => {});
    },
  });
  const config = start().addColumn({ name: 'loud', columnType: 'custom', generatorFunction: generator });
  await expect(designer().preview(config, { signal: stop.signal })).rejects.toMatchObject({ code: 'run/aborted' });
  await expect.poll(() => told?.aborted).toBe(true);
});

test('a resume takes recorded outcomes from the journal', { tags: 'long' }, async () => {
  let works = 0;
  let kept = 0;
  const isAllKept = () => kept === works;
  let isToStop = true;
  const stop = new AbortController();
  const never = new Promise<number>(() => {});
  const generator = customColumn({
    requiredColumns: ['topic'],
    modelAliases: ['writer'],
    generate: async ({ topic }, { cell }) => {
      const number = await cell.recordOutcome('count', () => (isToStop && stop.signal.aborted ? never : ++works));
      kept++;
      const { value } = await cell.ask({ modelAlias: 'writer', prompt: `Number ${number} of ${String(topic)}` });
      if (isToStop && cell.rowIndex === 7) {
        // Work that is not on record yet would be done again.
        while (!isAllKept()) await sleep(1);
        stop.abort();
        await new Promise(() => {});
      }
      return { loud: [number, value] };
    },
  });
  const config = start().addColumn({ name: 'loud', columnType: 'custom', generatorFunction: generator });
  const options = { numRecords: ROWS, datasetName: 'd' };
  const first = designer({ bufferSize: 50 }).create(config, { ...options, signal: stop.signal });
  await expect(first).rejects.toMatchObject({ code: 'run/aborted' });
  const before = works;
  isToStop = false;
  const results = await designer({ bufferSize: 50 }).create(config, { ...options, resume: 'always' });
  const records = await Array.fromAsync(results.records());
  expect(before).toBeGreaterThan(0);
  expect(works).toBe(ROWS);
  expect(new Set(records.map(({ loud }) => loud[0])).size).toBe(ROWS);
  expect(results.reRequested).toBe(0);
});

test('a resume calls a function that records no outcome once per row', { tags: 'long' }, async () => {
  const calls: number[] = [];
  let isToStop = true;
  const stop = new AbortController();
  const measure = customColumn({
    requiredColumns: ['topic'],
    generate: ({ topic }, { cell, params }) => {
      calls.push(cell.rowIndex);
      return { size: String(topic).length + Number(params['more']) };
    },
  });
  const tell = customColumn({
    requiredColumns: ['size'],
    modelAliases: ['writer'],
    generate: async ({ size }, { cell }) => {
      const { value } = await cell.ask({
        modelAlias: 'writer',
        prompt: `Row ${cell.rowIndex} of size ${String(size)}`,
      });
      if (isToStop && cell.rowIndex === 7) {
        stop.abort();
        await new Promise(() => {});
      }
      return { told: value };
    },
  });
  const config = start()
    .addColumn({ name: 'size', columnType: 'custom', generatorFunction: measure, generatorParams: { more: 2 } })
    .addColumn({ name: 'told', columnType: 'custom', generatorFunction: tell });
  const options = { numRecords: ROWS, datasetName: 'd' };
  const first = designer({ bufferSize: 50 }).create(config, { ...options, signal: stop.signal });
  await expect(first).rejects.toMatchObject({ code: 'run/aborted' });
  calls.length = 0;
  isToStop = false;
  const results = await designer({ bufferSize: 50 }).create(config, { ...options, resume: 'always' });
  const records = await Array.fromAsync(results.records());
  expect(calls.toSorted((a, b) => a - b)).toEqual(Array.from({ length: ROWS }, (_, row) => row));
  expect(records.map(({ size }) => size)).toEqual(records.map(({ topic }) => topic.length + 2));
  expect(results.reRequested).toBe(0);
});

test('a function that ends its worker thread is retried and then fails', { tags: 'long' }, async () => {
  const generator = customColumn({ generate: functionOfModule(MODULE, 'leave') });
  const config = start().addColumn({ name: 'loud', columnType: 'custom', generatorFunction: generator });
  const preview = designer({ bufferSize: 50 }).preview(config, { numRecords: 1 });
  await expect(preview).rejects.toMatchObject({ code: 'run/no-rows' });
});

test('the documented example runs inline and from a module', () => {
  expect(examples).toHaveLength(3);
  for (const { praise, asked, letters } of examples) {
    expect(asked).toBe(2);
    expect(letters).toBe(praise.replaceAll(/[^a-z]/gi, '').length);
  }
  expectTypeOf<(typeof examples)[number]['letters']>().toEqualTypeOf<number>();
  expectTypeOf<(typeof examples)[number]['asked']>().toEqualTypeOf<number>();
});
