import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { field, type Plan } from '@data-designer/core';
import { ChecksumLog, DatasetRows, datasetPaths, exportRows } from '@data-designer/dataset';
import { QueryEngine } from './query-engine.ts';

async function* records() {
  yield { n: 1 };
}

/** Takes hours. */
const ENDLESS = '(SELECT count(*) FROM range(100000000) a, range(100000000) b) > 0';

/** Takes longer than the database of the test may be idle. */
const countOf = (numbers: number) =>
  `(SELECT count(*) FROM range(${numbers}) a, range(1000) b WHERE a.range % 7 = b.range % 7) > 0`;

/** A dataset of one file with one row, in which a query engine searches. */
async function openDataset() {
  const folder = await mkdtemp(join(tmpdir(), 'query-engine-'));
  const { parquetFiles } = datasetPaths(folder);
  await mkdir(parquetFiles);
  const fields = [field('n', 'int64')];
  const path = join(parquetFiles, 'batch_00000.parquet');
  await exportRows({ records: records(), fields }, path, 'parquet');
  const rows = new DatasetRows(folder);
  const currentRows = async () => {
    await rows.refresh();
    return rows;
  };
  const plan = () => Promise.resolve({ plan: { fields } as unknown as Plan, columns: [], scores: [] });
  return { folder, path, plan, currentRows, reviewed: () => Promise.reject(new Error('no reviews')) };
}

test('a condition that takes too long is stopped with a message, and the next query runs', async () => {
  const dataset = await openDataset();
  {
    await using engine = new QueryEngine(dataset, { queryMs: 300 });
    const { signal } = new AbortController();
    const slow = {
      status: 400,
      code: 'view/too-slow',
      message: expect.stringContaining('stopped after 0.3 s') as string,
    };
    await expect(engine.rowList({ sql: ENDLESS }, signal)).rejects.toMatchObject(slow);
    await expect(engine.aggregate(['count(*)'], { sql: ENDLESS }, signal)).rejects.toMatchObject(slow);
    expect(await engine.aggregate(['count(*)'], { sql: 'n = 1' }, signal)).toEqual(['1']);
  }
  await rm(dataset.folder, { recursive: true });
});

test('a database that is closed when it is idle is open for as long as a query lasts', async () => {
  const dataset = await openDataset();
  {
    await using engine = new QueryEngine(dataset, { idleMs: 20 });
    const { signal } = new AbortController();
    expect(await engine.aggregate(['count(*)'], { sql: 'n = 1' }, signal)).toEqual(['1']);
    for (const numbers of [50_000, 50_001])
      expect(await engine.aggregate(['count(*)'], { sql: countOf(numbers) }, signal)).toEqual(['1']);
    await sleep(40);
    expect(await engine.aggregate(['count(*)'], { sql: 'n = 1' }, signal)).toEqual(['1']);
  }
  await rm(dataset.folder, { recursive: true });
});

test('a file that differs from its checksum is not searched', async () => {
  const dataset = await openDataset();
  const { folder, path } = dataset;
  const whole = await readFile(path);
  const sum = { bytes: whole.length, rows: 1, crc32: zlib.crc32(whole) };
  await new ChecksumLog(datasetPaths(folder)).add([{ path, sum }]);
  {
    await using engine = new QueryEngine(dataset);
    const { signal } = new AbortController();
    expect((await engine.rowList({ sql: 'n = 1' }, signal)).total).toBe(1);
    await new ChecksumLog(datasetPaths(folder)).add([{ path: join(folder, 'other'), sum }]);
    await writeFile(path, whole.with(8, (whole[8] ?? 0) ^ 1));
    const damaged = { code: 'dataset/damaged', message: expect.stringContaining(path) as string };
    await expect(engine.rowList({ sql: 'n < 2' }, signal)).rejects.toMatchObject(damaged);
  }
  await rm(folder, { recursive: true });
});
