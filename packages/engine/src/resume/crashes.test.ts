import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Crash, CRASHES } from '../../test/crashed-disk.ts';
import { TornWrites } from '../../test/torn-writes.ts';

let torn: TornWrites;
let retry: TornWrites;

beforeAll(async () => {
  torn = await TornWrites.record();
  retry = await TornWrites.recordRetry();
}, 120_000);
afterAll(async () => {
  await torn[Symbol.asyncDispose]();
  await retry[Symbol.asyncDispose]();
});

/** The steps that are found in the recorded lines, each after the one before. */
function inOrder(steps: readonly string[]): readonly string[] {
  let from = 0;
  return steps.filter((step) => {
    const at = torn.lines.indexOf(step, from);
    if (at >= 0) from = at + 1;
    return at >= 0;
  });
}

const SIDES = ['dropped-columns', 'processors/chats', 'processors/texts'] as const;
const FOLDERS = ['dropped-columns-parquet-files', 'processors-files/chats', 'processors-files/texts'] as const;

/** The commit of a group: what is written and synced, side tables before the main table. */
function commitOf(batch: string): readonly string[] {
  const temporary = `made/tmp-partial-parquet-files/${batch}`;
  const path = `made/parquet-files/${batch}`;
  return [
    `open ${temporary}`,
    `write ${temporary}`,
    `sync ${temporary}`,
    'write made/checksums.jsonl',
    'sync made/checksums.jsonl',
    ...SIDES.flatMap((side, index) => [
      `rename made/tmp-partial-parquet-files/${side}/${batch} -> made/${FOLDERS[index]}/${batch}`,
      `sync-folder made/${FOLDERS[index]}`,
    ]),
    `rename ${temporary} -> ${path}`,
    'sync-folder made/parquet-files',
  ];
}

function removalOf(group: number): readonly string[] {
  return [`unlink made/journal/group_0000${group}/000001.journal`, `rmdir made/journal/group_0000${group}`];
}

test('a row group file is written, synced, renamed after its side tables and its folder synced before its journal is removed', () => {
  for (const group of [0, 1]) {
    const steps = [...commitOf(`batch_0000${group}.parquet`), ...removalOf(group)];
    expect(inOrder(steps)).toEqual(steps);
  }
});

test('an unfinished group is marked before its file is there, and the mark goes after its next file, before its journal', () => {
  const mark = 'made/journal/group_00002.partial';
  const written = torn.lines.find((line) => line.startsWith('rename ') && line.endsWith(` -> ${mark}`)) ?? 'no mark';
  const partial = 'rename made/tmp-partial-parquet-files/batch_00002.parquet -> made/parquet-files/batch_00002.parquet';
  const steps = [
    written,
    'sync-folder made/journal',
    partial,
    ...commitOf('batch_00002.parquet'),
    `unlink ${mark}`,
    'sync-folder made/journal',
    ...removalOf(2),
  ];
  expect(inOrder(steps)).toEqual(steps);
  expect(torn.lines.filter((line) => line === partial)).toHaveLength(2);
});

test('the folder in which a merged side table waits is on disk before the files that it replaces are removed', () => {
  const waiting = 'made/tmp-partial-parquet-files';
  const steps = [
    `mkdir ${waiting}`,
    'sync-folder made',
    `mkdir ${waiting}/processors`,
    `sync-folder ${waiting}`,
    `mkdir ${waiting}/processors/texts`,
    `sync-folder ${waiting}/processors`,
    'unlink made/processors-files/texts/batch_00000.parquet',
  ];
  expect(inOrder(steps)).toEqual(steps);
});

/** One kind of crash after another, at every so many operations. */
function everyNth(step: number): (operations: number, crash: Crash) => boolean {
  return (operations, crash) => operations % step === 0 && CRASHES[(operations / step) % CRASHES.length] === crash;
}

// With every kind after every operation, this is `npm run chaos -- torn`.
for (const { step, least, tags } of [
  { step: 50, least: 4, tags: [] },
  { step: 17, least: 15, tags: ['long'] },
])
  test(
    `a run resumed after a kill or power loss (${step}) makes the same dataset and re-requests no synced answer`,
    { timeout: 300_000, tags },
    async () => {
      const reports = await Array.fromAsync(torn.resumeFrom(everyNth(step)));
      expect(torn.rows).toHaveLength(36);
      expect(reports.length).toBeGreaterThan(least);
      expect(reports.filter(({ faults }) => faults.length > 0)).toEqual([]);
    },
  );

for (const { step, least } of [
  { step: 100, least: 6 },
  { step: 17, least: 40 },
])
  test(
    `a retry of lost rows that is resumed after a kill or power loss (${step}) makes the rows of a run without faults, and re-requests no synced answer`,
    { timeout: 300_000, tags: 'long' },
    async () => {
      const reports = await Array.fromAsync(retry.resumeFrom(everyNth(step)));
      expect(retry.rows).toEqual(await retry.rowsWithoutFaults());
      expect(reports.length).toBeGreaterThan(least);
      expect(reports.filter(({ faults }) => faults.length > 0)).toEqual([]);
    },
  );
