import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { markPartial, type PartialGroup, readPartialGroups } from '@data-designer/dataset';
import { noUsage } from '@data-designer/models';
import { datasetPaths } from '../../../dataset/src/dataset-paths.ts';
import type { ResumedGroup } from '../row-group/group-context.ts';
import { withSpent } from './rows-again.ts';

const usage = (inputTokens: number) => ({ writer: { ...noUsage(), inputTokens } });
const AGAIN = { rows: [1], kept: 2, failures: [], images: [] };
const FILES = { rows: 'rows.parquet', sideTables: [] };

test('what a group has cost without its journaled answers is recorded once, before new answers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rows-again-'));
  const paths = datasetPaths(folder);
  mkdirSync(paths.journals);
  const spent = { usage: usage(5), tools: {} };
  const marks: Readonly<Record<number, PartialGroup>> = {
    0: { cells: {}, usage: usage(100) },
    1: { cells: {}, usage: usage(100), again: AGAIN },
    2: { cells: {}, usage: usage(100), again: { ...AGAIN, spent } },
    3: { cells: {}, usage: usage(7), again: AGAIN },
  };
  for (const [group, mark] of Object.entries(marks)) await markPartial(paths, Number(group), mark);
  const group = (index: number): ResumedGroup => {
    const again = marks[index]?.again;
    return { index, firstRow: 3 * index, rows: 3, ...(again && { again: { ...again, files: FILES } }) };
  };
  const partial = await readPartialGroups(paths);
  const replayed = new Map([1, 2].map((index) => [index, { usage: usage(30) }]));
  const groups = await withSpent([group(0), group(1), group(2), group(3), group(4)], replayed, { paths, partial });
  const tokens = groups.map(({ again }) => again?.spent?.usage['writer']?.inputTokens);
  expect(tokens).toEqual([undefined, 70, 5, 7, undefined]);
  expect(groups[1]?.again).toMatchObject({ ...AGAIN, files: FILES });
  const written = await readPartialGroups(paths);
  expect(written.get(1)).toMatchObject({ usage: usage(100), again: { ...AGAIN, spent: { usage: usage(70) } } });
  expect(written.get(2)).toEqual(marks[2]);
  expect(written.get(0)).toEqual(marks[0]);
  rmSync(folder, { recursive: true });
});
