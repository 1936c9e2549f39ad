import { afterAll, beforeAll, expect, test } from 'vitest';
import { TornWrites } from '../../test/torn-writes.ts';

let torn: TornWrites;

beforeAll(async () => {
  torn = await TornWrites.record();
}, 120_000);
afterAll(() => torn[Symbol.asyncDispose]());

test('a row group file is written, synced, renamed and its folder synced before its journal is removed', () => {
  for (const group of [0, 1, 2]) {
    const batch = `batch_0000${group}.parquet`;
    const temporary = `made/tmp-partial-parquet-files/${batch}`;
    const path = `made/parquet-files/${batch}`;
    const steps = [
      `open ${temporary}`,
      `write ${temporary}`,
      `sync ${temporary}`,
      `rename ${temporary} -> ${path}`,
      'sync-folder made/parquet-files',
      `unlink made/journal/group_0000${group}/000001.journal`,
      `rmdir made/journal/group_0000${group}`,
    ];
    let from = 0;
    const found = steps.filter((step) => {
      const at = torn.lines.indexOf(step, from);
      if (at >= 0) from = at + 1;
      return at >= 0;
    });
    expect(found).toEqual(steps);
  }
});

// The long form, with every operation, is `npm run chaos -- torn`.
test('a run resumed after a kill or power loss makes the same dataset and re-requests no synced answer', async () => {
  const reports = await Array.fromAsync(torn.resumeFrom((operations) => operations % 41 === 0));
  expect(torn.rows).toHaveLength(24);
  expect(reports.length).toBeGreaterThan(12);
  expect(reports.filter(({ faults }) => faults.length > 0)).toEqual([]);
}, 300_000);
