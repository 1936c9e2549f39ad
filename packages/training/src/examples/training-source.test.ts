import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSource } from './training-source.ts';

let folder: string;
const read = (path: string) => readSource(path, { plan: undefined, version: '1.0.0' });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'source-'));
  mkdirSync(join(folder, 'facts', 'parquet-files'), { recursive: true });
  writeFileSync(join(folder, 'facts', 'metadata.json'), '{}');
});

afterAll(() => rmSync(folder, { recursive: true }));

test('a folder of datasets is told with the datasets in it', async () => {
  await expect(read(folder)).rejects.toMatchObject({
    code: 'dataset/missing',
    message: expect.stringContaining(`It contains: ${join(folder, 'facts')}`) as string,
  });
});

test('a dataset without rows is told as such, and not as one whose columns or tools are wrong', async () => {
  await expect(read(join(folder, 'facts'))).rejects.toMatchObject({ code: 'dataset/empty' });
});
