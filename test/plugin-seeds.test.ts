import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateOptions, DataDesigner } from 'data-designer';
import { afterAll, beforeEach, expect, test } from 'vitest';

const artifactPath = mkdtempSync(join(tmpdir(), 'plugin-seeds-'));
afterAll(() => rmSync(artifactPath, { recursive: true }));

/** Files that a seed of the test says something to, or is told by. */
const told = join(artifactPath, 'told');
const wanted = join(artifactPath, 'wanted');
beforeEach(() => {
  writeFileSync(told, '');
  writeFileSync(wanted, 'moon');
});

const timesRead = () => readFileSync(told, 'utf8').length;

let modules = 0;

/** A module whose seed type `words` has these rows; `source.count` and `word` may be used there. */
function seedModule(rows: string, columns = ''): string {
  const path = join(artifactPath, `seed-${modules++}.mjs`);
  writeFileSync(
    path,
    `import { z } from ${JSON.stringify(import.meta.resolve('zod'))};
import { appendFileSync, readFileSync } from 'node:fs';
const told = ${JSON.stringify(told)}, wanted = ${JSON.stringify(wanted)};
const schema = z.strictObject({ seedType: z.literal('words'), count: z.int().default(3) });
export const plugin = { seeds: [{ type: 'words', schema, ${columns} rows: ${rows} }] };`,
  );
  return path;
}

const COUNTED = `async function* ({ count }) {
  appendFileSync(told, '.');
  for (let at = 0; at < count; at++) yield { word: readFileSync(wanted, 'utf8') + at, at, more: { of: [at] } };
}`;

function declared(source: object = {}, more: object = {}) {
  const columns = [{ name: 'said', column_type: 'expression', expr: '{{ word }}!' }];
  return {
    document: { seed_config: { source: { seed_type: 'words', ...source }, ...more }, columns },
    source: 'the test',
  };
}

const designerOf = (module: string) =>
  new DataDesigner({ plugins: [module], artifactPath, runConfig: { seed: 4, bufferSize: 2 } });

async function create(module: string, options: CreateOptions, source: object = {}) {
  await using designer = designerOf(module);
  const results = await designer.create(declared(source), options);
  return (await Array.fromAsync(results.records())) as readonly Readonly<Record<string, unknown>>[];
}

test('plug-in seed rows are read once per program and stored in run order', { tags: 'long' }, async () => {
  await using designer = designerOf(seedModule(COUNTED));
  const seeded = declared({ count: 4 }, { sampling_strategy: 'shuffle', selection_strategy: { start: 1, end: 3 } });
  const seen = await Array.fromAsync((await designer.preview(seeded, { numRecords: 3 })).records());
  expect(timesRead()).toBe(1);
  expect(seen.map((row) => row['word'])).toHaveLength(3);
  expect(new Set(seen.map((row) => row['word']))).toEqual(new Set(['moon1', 'moon2', 'moon3']));
  const made = await designer.create(seeded, { numRecords: 3, datasetName: 'once' });
  expect(await Array.fromAsync(made.records())).toEqual(seen);
  expect(seen[0]).toMatchObject({ said: `${String(seen[0]?.['word'])}!`, more: { of: [seen[0]?.['at']] } });
  expect(timesRead()).toBe(1);
  expect(existsSync(join(artifactPath, 'once', 'seed', 'part-00000.parquet'))).toBe(true);
});

test('a resume does not read plug-in seed rows that it has', { tags: 'long' }, async () => {
  const module = seedModule(COUNTED);
  await create(module, { numRecords: 4, datasetName: 'on' });
  writeFileSync(wanted, 'salt');
  const rows = await create(module, { numRecords: 6, datasetName: 'on', resume: 'always' });
  expect(rows.map((row) => row['said'])).toEqual(['moon0!', 'moon1!', 'moon2!', 'moon0!', 'moon1!', 'moon2!']);
  expect(timesRead()).toBe(1);
});

test(
  'a resume that needs more plug-in seed rows reads them again and requires the same ones',
  { tags: 'long' },
  async () => {
    const module = seedModule(COUNTED);
    await create(module, { numRecords: 2, datasetName: 'more' }, { count: 5 });
    const more = { numRecords: 4, datasetName: 'more', resume: 'always' } as const;
    writeFileSync(wanted, 'salt');
    await expect(create(module, more, { count: 5 })).rejects.toMatchObject({
      code: 'seed/unreadable',
      message: expect.stringMatching(/not the rows that the dataset was started with/) as string,
    });
    writeFileSync(wanted, 'moon');
    const rows = await create(module, more, { count: 5 });
    expect(rows.map((row) => row['word'])).toEqual(['moon0', 'moon1', 'moon2', 'moon3']);
  },
);

test('another seed declaration is another dataset', { tags: 'long' }, async () => {
  const module = seedModule(COUNTED);
  await create(module, { numRecords: 2, datasetName: 'other' }, { count: 3 });
  const other = create(module, { numRecords: 2, datasetName: 'other', resume: 'always' }, { count: 4 });
  await expect(other).rejects.toMatchObject({ code: 'dataset/incompatible' });
});

test('a check reads no plug-in seed rows and uses the declared columns', async () => {
  await using telling = designerOf(seedModule(COUNTED, `columns: () => ['at'],`));
  const { violations } = await telling.check(declared());
  expect(violations).toMatchObject([{ path: 'columns[0].expr' }]);
  await using silent = designerOf(seedModule(COUNTED));
  expect((await silent.check(declared())).violations).toEqual([]);
  expect((await silent.check(declared({ count: 'many', cuont: 1 }))).violations).toMatchObject([
    { path: 'seed_config.source.count' },
    { path: 'seed_config.source.cuont' },
  ]);
  expect(timesRead()).toBe(0);
});

test('a config from an address may use a plug-in seed only if allowed', { tags: 'long' }, async () => {
  const module = seedModule(COUNTED);
  await using careful = designerOf(module);
  const strange = { ...declared(), origin: 'address' } as const;
  await expect(careful.preview(strange)).rejects.toThrow(/'words', because the seed of a plug-in/);
  await using trusting = new DataDesigner({ plugins: [module], permissions: { localFiles: true } });
  expect((await trusting.preview(strange, { numRecords: 2 })).count).toBe(2);
});

test.each([
  ['throws', `async function* () { yield { word: 'a' }; throw new Error('no luck'); }`, /failed after 1 rows: no luck/],
  ['throws at once', `() => { throw new Error('no luck'); }`, /failed after 0 rows: no luck/],
  ['gives nothing', 'async function* () {}', /there are no rows/],
  ['gives empty rows', 'function* () { yield {}; }', /there are no rows/],
  ['gives what is no row', `() => [{ word: 'a' }, 'b']`, /row 1 is a string, not a mapping/],
  ['gives functions', '() => [{ word: () => 1 }]', /row 0 has .*function.* in 'word'/],
  ['gives no rows', '() => 7', /its rows must be a list or a generator/],
  ['promises rows', `async () => [{ word: 'a' }]`, /its rows must be a list or a generator/],
  ['lacks a column', `() => [{ other: 1 }]`, /no row has the declared column 'word'/],
])('a plug-in seed that %s is reported clearly', async (_claim, rows, message) => {
  await using designer = designerOf(seedModule(rows, `columns: () => ['word'],`));
  await expect(designer.preview(declared())).rejects.toMatchObject({
    code: 'config/invalid',
    message: expect.stringMatching(message) as string,
  });
});

test('a plug-in seed that failed is read again', { tags: 'long' }, async () => {
  await using designer = designerOf(
    seedModule(`function* () {
      appendFileSync(told, '.');
      if (readFileSync(told, 'utf8').length === 1) throw new Error('not yet');
      yield { word: 'a' };
    }`),
  );
  await expect(designer.preview(declared())).rejects.toThrow(/not yet/);
  expect((await designer.preview(declared(), { numRecords: 1 })).count).toBe(1);
});

test.each([
  ['never gives a row', 'async function* () { appendFileSync(told, "."); await new Promise(() => {}); }'],
  ['never ends', 'function* () { appendFileSync(told, "."); for (;;) yield { word: "a" }; }'],
])('a stopped run abandons a plug-in seed that %s', async (_claim, rows) => {
  await using designer = designerOf(seedModule(rows));
  const stop = new AbortController();
  const making = designer.create(declared(), { signal: stop.signal, datasetName: 'endless' });
  while (timesRead() === 0) await new Promise((resolve) => void setTimeout(resolve, 5));
  stop.abort();
  await expect(making).rejects.toMatchObject({ code: 'run/aborted' });
});
