import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { field, type Plan } from '@data-designer/core';
import { DatasetRows, datasetPaths, exportRows } from '@data-designer/dataset';
import { QueryEngine } from './query-engine.ts';

async function* records() {
  yield { n: 1 };
}

/** Takes hours. */
const ENDLESS = '(SELECT count(*) FROM range(100000000) a, range(100000000) b) > 0';

test('a condition that takes too long is stopped with a message, and the next query runs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'query-engine-'));
  const { parquetFiles } = datasetPaths(folder);
  await mkdir(parquetFiles);
  const fields = [field('n', 'int64')];
  await exportRows({ records: records(), fields }, join(parquetFiles, 'batch_00000.parquet'), 'parquet');
  const rows = new DatasetRows(folder);
  const currentRows = async () => {
    await rows.refresh();
    return rows;
  };
  const plan = () => Promise.resolve({ plan: { fields } as unknown as Plan, columns: [] });
  const dataset = { plan, currentRows, reviewed: () => Promise.reject(new Error('no reviews')) };
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
  await rm(folder, { recursive: true });
});
