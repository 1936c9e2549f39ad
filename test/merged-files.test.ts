import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateOptions, DataDesigner } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;
let designer: DataDesigner;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'merged-files-'));
  designer = new DataDesigner({ artifactPath: folder });
});

afterEach(async () => {
  await designer[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const document = {
  columns: [
    { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
    { name: 'word', column_type: 'expression', expr: '{{ id[:4] }}' },
  ],
};

async function create(numRecords: number, { compact = true, ...options }: CreateOptions & { compact?: boolean } = {}) {
  designer.setRunConfig({ seed: 5, bufferSize: 10, compact });
  const results = await designer.create(
    { document, source: 'the test' },
    { numRecords, datasetName: 'made', ...options },
  );
  return { results, records: await Array.fromAsync(results.records()) };
}

const files = () => readdirSync(join(folder, 'made', 'parquet-files')).toSorted();
const metadata = () => JSON.parse(readFileSync(join(folder, 'made', 'metadata.json'), 'utf8')) as object;

test('a merged dataset holds the rows of an unmerged one, also after an extension', { tags: 'long' }, async () => {
  const left = await create(45, { compact: false, datasetName: 'left' });
  expect(readdirSync(join(folder, 'left', 'parquet-files'))).toHaveLength(5);
  const made = await create(45);
  expect(files()).toEqual(['batch_00000-00004.parquet']);
  expect(made.records).toEqual(left.records);
  expect(metadata()).toMatchObject({
    actual_num_records: 45,
    num_completed_batches: 5,
    file_paths: { 'parquet-files': ['parquet-files/batch_00000-00004.parquet'] },
  });
  const grown = await create(61, { resume: 'always' });
  expect(files()).toEqual(['batch_00000-00006.parquet']);
  expect(grown.results.count).toBe(61);
  expect(grown.records.slice(0, 45)).toEqual(made.records);
  expect((await create(61, { resume: 'always' })).records).toEqual(grown.records);
});

test('a resume without other work merges the files', async () => {
  const { records } = await create(30, { compact: false });
  const again = await create(30, { resume: 'always' });
  expect(files()).toEqual(['batch_00000-00002.parquet']);
  expect(again.records).toEqual(records);
});

test('a damaged merged file is set aside, and its row groups are made again', async () => {
  const { records } = await create(40);
  truncateSync(join(folder, 'made', 'parquet-files', 'batch_00000-00003.parquet'), 400);
  const again = await create(40, { resume: 'always' });
  expect(again.records).toEqual(records);
  expect(files()).toEqual(['batch_00000-00003.parquet', 'batch_00000-00003.parquet.damaged']);
});

test('a reader of records continues in the merged file', async () => {
  const { records, results } = await create(40, { compact: false });
  const reading = results.records()[Symbol.asyncIterator]();
  const read: unknown[] = [];
  for (let row = 0; row < 15; row++) read.push(((await reading.next()) as { value: unknown }).value);
  await create(40, { resume: 'always' });
  expect(files()).toHaveLength(1);
  for (let next = await reading.next(); next.done !== true; next = await reading.next()) read.push(next.value);
  expect(read).toEqual(records);
});
