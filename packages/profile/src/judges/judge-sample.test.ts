import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { field } from '@data-designer/core';
import { withBoundedDuckDb } from '../../../seeds/src/duck-db/with-duck-db.ts';
import { writeDataFile } from '../../../dataset/test/data-files.ts';
import { scoredSql } from '../columns/judge-profile.ts';
import { sampleJudgements } from './judge-sample.ts';
import { ProfiledTable } from '../table/profiled-table.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'judge-sample-'));
});
afterAll(() => rm(folder, { recursive: true }));

const score = { struct: [field('reasoning', 'utf8'), field('score', 'utf8')] } as const;
const judged = field('judge', { struct: [field('Fit', score)] });

/** A sample of judgements with these scores, each with its position as the reason. */
async function sampleOf(scores: readonly string[], size: number) {
  const path = join(folder, 'judged.parquet');
  const cells = scores.map((one, at) => ({ Fit: { reasoning: String(at), score: one } }));
  await writeDataFile(path, { fields: [judged], columns: new Map([['judge', cells]]), rows: cells.length });
  return withBoundedDuckDb({ folder, megabytes: 256 }, async (connection) => {
    const table = await ProfiledTable.open(connection, [path]);
    const scored = scoredSql(judged, 'Fit');
    return sampleJudgements(table, { scored, records: scores.length, size, name: 'judge/Fit' });
  });
}

test('a few judgements are all shown, in order', async () => {
  expect(await sampleOf(['b', 'a'], 5)).toEqual([
    { score: 'b', reasoning: '0' },
    { score: 'a', reasoning: '1' },
  ]);
});

test('one judgement of each frequent score is shown if there are many different scores', async () => {
  const sample = await sampleOf(['a', 'b', 'b', 'c', 'c', 'c', 'd'], 2);
  expect(sample.map((one) => one.score).toSorted()).toEqual(['b', 'c']);
});

test('otherwise the sample is fixed, without repeats, and favours frequent scores', async () => {
  const scores = Array.from({ length: 300 }, (_, at) => (at % 30 === 0 ? 'rare' : 'often'));
  const sample = await sampleOf(scores, 20);
  expect(new Set(sample.map(({ reasoning }) => reasoning)).size).toBe(20);
  expect(sample.filter((one) => one.score === 'often').length).toBeGreaterThan(17);
  expect(await sampleOf(scores, 20)).toEqual(sample);
});
