import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Batch, field } from '@data-designer/core';
import { commit } from '../../files/commit-file.ts';
import { encodeBatch } from '../../encode/encode-batch.ts';
import { arrowStreamBytes, stageArrow, writeArrow } from './write-arrow.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'write-arrow-'));
});
afterAll(() => rm(folder, { recursive: true }));

const BATCH: Batch = { fields: [field('n', 'int64')], columns: new Map([['n', [1, null]]]), rows: 2 };

test('a batch becomes an Arrow file, which begins and ends with its magic word', async () => {
  const path = join(folder, 'batch.arrow');
  await writeArrow(path, BATCH);
  const bytes = await readFile(path);
  expect(bytes.subarray(0, 6).toString()).toBe('ARROW1');
  expect(bytes.subarray(-6).toString()).toBe('ARROW1');
  expect([...tableFromIPC(bytes).getChild('n')!]).toEqual([1n, null]);
});

test('a file is staged where it is told to be', async () => {
  const temporary = join(folder, 'partial');
  const staged = await stageArrow(join(folder, 'staged.arrow'), BATCH, { temporary });
  expect(await readdir(folder)).toContain('partial');
  await commit(staged);
  expect(await readdir(folder)).toContain('staged.arrow');
  expect(await readdir(folder)).not.toContain('partial');
});

test('stream bytes own their buffer, so that it can be transferred to another thread', () => {
  const bytes = arrowStreamBytes(encodeBatch(BATCH));
  const moved = structuredClone(bytes, { transfer: [bytes.buffer as ArrayBuffer] });
  expect([...tableFromIPC(moved).getChild('n')!]).toEqual([1n, null]);
});
