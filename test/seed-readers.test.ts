import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type ArrowField, field } from '@data-designer/core';
import { defineSeed, type RegisteredSeed, seedFields, type SeedSource } from '@data-designer/config';
import { datasetPaths, exportRows, type TableRecord } from '@data-designer/dataset';
import { rowHash } from '@data-designer/dataset/reviews';
import { inspectSeed, prepareTables, RowSpools, seedReaders, seedSource } from '@data-designer/seeds';
import { tablesReader } from '@data-designer/seeds/reader';
import { type LocalHub, openLocalHub } from './hub-server.ts';

/** What the conformance test needs to know of a kind of seed. Every source has three rows. */
interface SeedCase {
  /** Writes what the source reads. */
  readonly prepare?: (isChanged: boolean) => void | Promise<void>;
  readonly source: (isChanged: boolean) => SeedSource;
  readonly plugin?: (isChanged: boolean) => RegisteredSeed;
  /** Some of the columns, with their types. */
  readonly columns: Readonly<Record<string, string>>;
  /** The values of the first of these columns, in order. */
  readonly values: readonly unknown[];
  /** The error of a resume from a changed source. */
  readonly changed: RegExp;
  /** A source whose rows cannot be read, and the error, which names it. */
  readonly broken: () => SeedSource;
  readonly fault: RegExp;
}

let folder: string;
let hub: LocalHub;
let hubFile: { content: string };

const write = (name: string, content: string): void => {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), content);
};

const NUMBERS = 'n,t\n1,a\n2,b\n3,c\n';
const OTHER_NUMBERS = 'n,t\n1,a\n2,b\n3,changed\n';
const csv = (isChanged: boolean): string => (isChanged ? OTHER_NUMBERS : NUMBERS);
const rows = (isChanged: boolean) => [{ n: 1 }, { n: 2 }, { n: isChanged ? 4 : 3 }];
const session = (id: string, text: string): string =>
  `${JSON.stringify({ type: 'user', sessionId: id, message: { role: 'user', content: text } })}\n`;
const inFolder = { path: 'files', filePattern: '*.txt', recursive: true };
const recorded = { seedType: 'agent_rollout', format: 'claude_code', filePattern: null, recursive: true } as const;
const squares = (isChanged: boolean): RegisteredSeed =>
  defineSeed({
    type: 'squares',
    schema: z.strictObject({ ...seedFields('squares', 'Squares.'), count: z.int() }),
    columns: () => ['root'],
    *rows({ count }) {
      for (let root = 1; root <= count; root++) yield { root, square: isChanged ? 0 : root * root };
      if (count === 0) throw new Error('no squares');
    },
  });

async function* streamed<Row>(all: readonly Row[]): AsyncGenerator<Row> {
  yield* all;
}

const CASES: Readonly<Record<keyof typeof seedReaders | 'a plug-in', SeedCase>> = {
  local: {
    prepare: (isChanged) => write('numbers.csv', csv(isChanged)),
    source: () => ({ seedType: 'local', path: 'numbers.csv' }),
    columns: { n: 'int64', t: 'utf8' },
    values: [1, 2, 3],
    changed: /the seed file .*numbers\.csv has changed/,
    broken: () => ({ seedType: 'local', path: 'none.csv' }),
    fault: /none\.csv/,
  },
  hf: {
    prepare: (isChanged) => {
      hubFile.content = csv(isChanged);
      rmSync(join(folder, 'cache'), { recursive: true, force: true });
    },
    source: () => ({ seedType: 'hf', path: 'datasets/acme/n/n.csv', token: null, endpoint: hub.endpoint }),
    columns: { n: 'int64', t: 'utf8' },
    values: [1, 2, 3],
    changed: /the seed file .*n\.csv has changed/,
    broken: () => ({ seedType: 'hf', path: 'datasets/acme/none/n.csv', token: null, endpoint: hub.endpoint }),
    fault: /acme\/none/,
  },
  dataset: {
    prepare: async (isChanged) => {
      const { parquetFiles, reviews } = datasetPaths(join(folder, 'reviewed'));
      mkdirSync(parquetFiles, { recursive: true });
      const stored = {
        records: streamed([0, 1, 2, 3].map((n) => ({ n, t: 'a' }))),
        fields: [field('n', 'int64'), field('t', 'utf8')],
      };
      await exportRows(stored, join(parquetFiles, 'batch_00000.parquet'), 'parquet');
      const given = { hash: rowHash({ n: 0, t: 'a' }), rating: null, comment: null, author: null, time: '' };
      const lines = [
        { ...given, row: 0, verdict: 'reject', edits: null },
        { ...given, row: 1, verdict: 'edit', edits: { t: isChanged ? 'other' : 'b' }, hash: rowHash({ n: 1, t: 'a' }) },
      ];
      writeFileSync(reviews, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    },
    source: () => ({ seedType: 'dataset', path: 'reviewed', reviews: 'not_rejected', reviewColumns: true }),
    columns: { n: 'int64', t: 'utf8', _review_verdict: 'utf8' },
    values: [1, 2, 3],
    changed: /the seed file .*reviews\.jsonl has changed/,
    broken: () => ({ seedType: 'dataset', path: 'none', reviews: null, reviewColumns: false }),
    fault: /none/,
  },
  df: {
    source: (isChanged) => ({ seedType: 'df', rows: rows(isChanged) }),
    columns: { n: 'int64' },
    values: [1, 2, 3],
    changed: /the seed rows in memory differ from those that it was started with/,
    broken: () => ({ seedType: 'df', rows: [{ n: 1 }, { n: () => 1 }] }),
    fault: /row 1 has a function in 'n'/,
  },
  directory: {
    prepare: (isChanged) => {
      for (const name of ['a', 'b', isChanged ? 'd' : 'c']) write(`files/${name}.txt`, name);
      if (isChanged) rmSync(join(folder, 'files/c.txt'));
    },
    source: () => ({ seedType: 'directory', ...inFolder }),
    columns: { file_name: 'utf8', source_path: 'utf8' },
    values: ['a.txt', 'b.txt', 'c.txt'],
    changed: /the seed file c\.txt is gone/,
    broken: () => ({ seedType: 'directory', ...inFolder, path: 'none' }),
    fault: /none/,
  },
  file_contents: {
    prepare: (isChanged) => {
      for (const name of ['a', 'b', 'c']) write(`files/${name}.txt`, isChanged ? `${name} changed` : name);
    },
    source: () => ({ seedType: 'file_contents', ...inFolder, encoding: 'utf-8' }),
    columns: { content: 'utf8', relative_path: 'utf8' },
    values: ['a', 'b', 'c'],
    changed: /the seed file a\.txt has changed/,
    broken: () => ({ seedType: 'file_contents', ...inFolder, filePattern: '*.md', encoding: 'utf-8' }),
    fault: /\*\.md/,
  },
  agent_rollout: {
    prepare: (isChanged) => {
      for (const name of ['a', 'b', 'c']) write(`files/${name}.jsonl`, session(name, isChanged ? 'changed' : 'said'));
    },
    source: () => ({ ...recorded, path: 'files' }),
    columns: { trace_id: 'utf8', message_count: 'int64' },
    values: ['a', 'b', 'c'],
    changed: /the seed file a\.jsonl has changed/,
    broken: () => {
      write('broken/a.jsonl', '{');
      return { ...recorded, path: 'broken' };
    },
    fault: /a\.jsonl is skipped/,
  },
  'mcp-tools': {
    prepare: (isChanged) => {
      const tools = ['a', 'b', isChanged ? 'd' : 'c'].map((name) => ({ name }));
      write('tools.json', JSON.stringify({ providers: [{ provider: 'files', tools }] }));
    },
    source: () => ({ seedType: 'mcp-tools', path: 'tools.json', providers: null, rowOf: 'tool' }),
    columns: { name: 'utf8', parameters: 'utf8' },
    values: ['a', 'b', 'c'],
    changed: /the seed file .*tools\.json has changed/,
    broken: () => ({ seedType: 'mcp-tools', path: 'none.json', providers: null, rowOf: 'tool' }),
    fault: /none\.json/,
  },
  'a plug-in': {
    // What a plug-in's schema gives is a source of no built-in type.
    source: () => ({ seedType: 'squares', count: 3 }) as never,
    plugin: squares,
    columns: { square: 'int64', root: 'int64' },
    values: [1, 4, 9],
    changed: /'squares'.*these are not the rows that the dataset was started with/,
    broken: () => ({ seedType: 'squares', count: 0 }) as never,
    fault: /'squares'.*no squares/,
  },
};

const signal = new AbortController().signal;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'seed-readers-'));
  hubFile = { content: NUMBERS };
  const commit = 'a1'.repeat(20);
  hub = await openLocalHub({
    'acme/n': { revisions: { main: commit, [commit]: commit }, files: { 'n.csv': hubFile } },
  });
});

afterEach(async () => {
  await hub[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** What a program that continues a dataset finds. */
interface Resumed {
  readonly begun?: Begun | undefined;
  /** Whether the source has changed since. */
  readonly isChanged?: boolean;
}

/** What a dataset records of its seed. */
interface Begun {
  readonly record: TableRecord | undefined;
  readonly fields: readonly ArrowField[];
}

/** Inspects a source as a program that begins or continues a dataset does. */
async function open(seed: SeedCase, source: SeedSource, { begun, isChanged = false }: Resumed = {}) {
  const declared = { source, samplingStrategy: 'ordered', selectionStrategy: null } as const;
  const spools = new RowSpools();
  const { revision, sha256 } = begun?.record?.source ?? {};
  const inspection = await inspectSeed(declared, {
    folder,
    spools,
    plugin: seed.plugin?.(isChanged),
    run: {
      cacheFolder: join(folder, 'cache'),
      allowPrivate: true,
      ...(begun && revision !== undefined ? { prior: { fields: begun.fields, revision, sha256 } } : {}),
    },
  });
  return {
    inspection,
    table: seedSource(declared, inspection),
    [Symbol.asyncDispose]: () => spools[Symbol.asyncDispose](),
  };
}

/** Materialises the rows of a run, and reads the first of the named columns back as a worker does. */
async function materialise(seed: SeedCase, rowsOfRun: number, { begun, isChanged = false }: Resumed = {}) {
  await seed.prepare?.(isChanged);
  await using opened = await open(seed, seed.source(isChanged), { begun, isChanged });
  const { table } = opened;
  if (!table) throw new Error(opened.inspection.findings.map(({ message }) => message).join('\n'));
  const { table: file, scratch, folder: path } = datasetPaths(join(folder, 'dataset'));
  const places = { file, scratch, resumable: { path, prior: begun?.record ? [begun.record] : [] } };
  const { files, records } = await prepareTables([table], places, { run: { rows: rowsOfRun, seed: 1 }, signal });
  const columns = await tablesReader([table], files)({ firstRow: 0, rows: rowsOfRun });
  const [column = ''] = Object.keys(seed.columns);
  return {
    values: Array.from(columns.get(table.id)?.get(column) ?? []),
    begun: { record: records[0], fields: table.fields },
  };
}

describe.each(Object.entries(CASES))('the reader of %s', (_, seed) => {
  test('inspects the columns with their types', { tags: 'long' }, async () => {
    await seed.prepare?.(false);
    await using opened = await open(seed, seed.source(false));
    const { columns, findings } = opened.inspection;
    expect(findings).toEqual([]);
    expect(Object.fromEntries(columns?.map(({ name, type }) => [name, type]) ?? [])).toMatchObject(seed.columns);
  });

  test('returns the rows in order and starts again after the last', { tags: 'long' }, async () => {
    const [first] = seed.values;
    expect((await materialise(seed, 4)).values).toEqual([...seed.values, first]);
  });

  test('resumes from the same source and refuses a changed one', { tags: 'long' }, async () => {
    const { begun } = await materialise(seed, 2);
    expect((await materialise(seed, 3, { begun })).values).toEqual(seed.values);
    await expect(materialise(seed, 3, { begun, isChanged: true })).rejects.toThrow(seed.changed);
  });

  test('names the source in its errors', async () => {
    await seed.prepare?.(false);
    const told = open(seed, seed.broken()).then(
      ({ inspection }) => inspection.findings.map(({ message }) => message).join('\n'),
      (thrown: unknown) => String(thrown),
    );
    expect(await told).toMatch(seed.fault);
  });
});
