import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ArrowField, NEVER, rowGroups } from '@data-designer/core';
import { noUsage } from '@data-designer/models';
import { expression, planOf, sampled } from '../../test/plan-of.ts';
import { OfflineGateway } from '../../../gateway/src/thread/offline-gateway.ts';
import { GroupCommits } from './group-commits.ts';
import { RunProgress } from '../progress/run-progress.ts';
import type { RowGroupResult } from '../row-group/row-group-result.ts';
import { writeBatch } from '../row-group/write-batch.ts';
import type { RunEvent } from '../run-event.ts';
import { RunSummary } from '../run-summary.ts';
import { type DatasetFolder, openDatasetFolder } from '../../../dataset/src/dataset-folder.ts';
import { fileSystem, replaceFiles } from '../../../dataset/src/files/files.ts';
import { ChecksumLog } from '../../../dataset/src/logs/checksums.ts';
import { markPartial, readPartialGroup } from '../../../dataset/src/logs/partial-groups.ts';
import { UsageLog } from '../../../dataset/src/logs/usage-log.ts';
import { makeSideFolders, sideTables } from '../../../dataset/src/side-tables.ts';

/** Ten rows in groups of four, with a dropped column that is preserved. */
const PLAN = planOf(
  {
    columns: [
      sampled('topic', 'category', { params: { values: ['moon', 'salt'] } }),
      expression('said', 'On {{ topic }}'),
      expression('left', '{{ said }}!', { drop: true }),
    ],
  },
  { run: { bufferSize: 4, preserveDroppedColumns: true } },
);
const FAILURE = {
  row: 1,
  column: 'said',
  code: 'model/rejected',
  message: 'no',
  onFailure: 'drop_row',
  messages: [],
} as const;
const LOST = { column: 'said', message: 'no', rows: 4 };

/** A gateway without models that records whether each group's journal is kept. */
class NotingGateway extends OfflineGateway {
  readonly kept: [number, boolean][] = [];

  override closeGroup(group: number, options: { keepJournal: boolean }): Promise<void> {
    this.kept.push([group, options.keepJournal]);
    return super.closeGroup(group, options);
  }
}

let artifactPath: string;
let folder: DatasetFolder;
let gateway: NotingGateway;
let summary: RunSummary;
/** The state of the folder at each event. */
let told: { readonly event: RunEvent; readonly metadata: unknown; readonly files: readonly string[] }[];

beforeEach(async () => {
  artifactPath = mkdtempSync(join(tmpdir(), 'group-commits-'));
  folder = await openDatasetFolder({ artifactPath, datasetName: 'data' });
  await makeSideFolders(folder.paths, sideTables(PLAN));
  gateway = new NotingGateway();
  summary = new RunSummary();
  told = [];
});
afterEach(async () => {
  await folder[Symbol.asyncDispose]();
  rmSync(artifactPath, { recursive: true });
});

const filesThere = () => [folder.paths.parquetFiles, folder.paths.droppedColumns].flatMap((path) => readdirSync(path));
const linesOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []);
const marks = () => readdirSync(folder.paths.journals);

function commitsOf({ partial = new Map() } = {}): GroupCommits {
  const progress = new RunProgress(PLAN, { summary, groups: [...rowGroups(PLAN)] });
  const onEvent = (event: RunEvent): void => {
    const metadata: unknown = JSON.parse(readFileSync(folder.paths.metadata, 'utf8'));
    told.push({ event, metadata, files: filesThere() });
  };
  const parts = {
    plan: PLAN,
    folder,
    gateway,
    summary,
    progress,
    tables: [],
    tools: {},
    voided: new Map(),
    partial,
    onEvent,
  };
  return new GroupCommits({ ...parts, format: 'parquet' });
}

/** Commits the result of a row group whose files are staged. */
async function end(group: number, result: Partial<RowGroupResult>, commits = commitsOf()): Promise<void> {
  const { rows = 4 } = result;
  const batchOf = (fields: readonly ArrowField[]) => {
    const cells = Array.from({ length: rows }, (_, row) => `cell ${row}`);
    return { fields, columns: new Map(fields.map(({ name }) => [name, cells])), rows };
  };
  const output = await writeBatch(commits.channels.destination(group), batchOf(PLAN.fields), [
    batchOf(PLAN.dropped ?? []),
  ]);
  const usage = { writer: { ...noUsage(), requests: 3 } };
  const counts = {
    rows,
    lost: [],
    unfinished: 0,
    cells: {},
    failures: [],
    usage,
    tools: {},
    orphanedImages: [],
    output,
  };
  async function* results() {
    yield { group, ...counts, ...result };
  }
  await commits.take(results());
}

test('row-group-end follows the commit of all files, the log lines and metadata.json', async () => {
  const orphan = join(folder.path, 'picture.png');
  writeFileSync(orphan, 'not shown by any row');
  await end(1, {
    rows: 3,
    lost: [{ ...LOST, code: 'model/rejected', rows: 1 }],
    failures: [FAILURE],
    orphanedImages: ['picture.png'],
  });
  expect(told).toMatchObject([
    {
      event: { type: 'row-group-end', group: 1, rows: 3, lost: [{ rows: 1 }] },
      metadata: { actual_num_records: 3, num_completed_batches: 1, usage: { writer: { requests: 3 } } },
      files: ['batch_00001.parquet', 'batch_00001.parquet'],
    },
  ]);
  // The answers of its lost row go to a journal of their own.
  expect(gateway.kept).toEqual([[1, true]]);
  expect(linesOf(folder.paths.failures).map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { group: 1, ...FAILURE },
  ]);
  expect(linesOf(folder.paths.usage)).toHaveLength(1);
  expect(marks()).toEqual([]);
  expect(existsSync(orphan)).toBe(false);
});

test('a group that lost all rows to transient failures keeps only its journal; after other failures it is finished', async () => {
  const failures = [FAILURE];
  await end(0, { rows: 0, lost: [{ ...LOST, code: 'model/unreachable' }], failures });
  expect([filesThere(), linesOf(folder.paths.failures), gateway.kept]).toEqual([[], [], [[0, true]]]);
  expect(told).toMatchObject([{ metadata: { num_completed_batches: 0 } }]);
  await end(0, { rows: 0, lost: [{ ...LOST, code: 'model/rejected' }], failures });
  expect(filesThere()).toEqual(['batch_00000.parquet', 'batch_00000.parquet']);
  expect(linesOf(folder.paths.failures)).toHaveLength(1);
  expect(gateway.kept.at(-1)).toEqual([0, true]);
});

test('a group whose requests all fail in five runs, although others are answered, is finished', async () => {
  const lost = [{ ...LOST, code: 'model/unreachable' }] as const;
  for (let run = 0; run < 5; run++) await end(0, { rows: 0, lost, lostAlone: 4 }, commitsOf());
  expect(gateway.kept.map(([, isKept]) => isKept)).toEqual([true, true, true, true, false]);
  expect(filesThere()).toEqual(['batch_00000.parquet', 'batch_00000.parquet']);
  const { counts } = await new UsageLog(folder.paths.usage).settle({ finished: new Set([0]), damaged: new Set() });
  expect(counts.map(({ group, usage }) => [group, usage.writer?.requests])).toEqual([
    ...Array.from({ length: 4 }, () => [null, 3]),
    [0, 3],
  ]);
});

test('a group stays to be made, however often it loses its rows, if an endpoint answered nobody', async () => {
  const lost = [{ ...LOST, code: 'model/unreachable' }] as const;
  for (let run = 0; run < 8; run++) await end(0, { rows: 0, lost, ...(run % 2 > 0 && { lostAlone: 3 }) }, commitsOf());
  expect([new Set(gateway.kept.map(([, isKept]) => isKept)), filesThere()]).toEqual([new Set([true]), []]);
  const { counts } = await new UsageLog(folder.paths.usage).settle({ finished: new Set(), damaged: new Set() });
  expect(counts.map(({ usage }) => usage.writer?.requests)).toEqual(Array.from({ length: 8 }, () => 3));
});

test('a group left unfinished at the end of the run keeps its rows, its journal, and a mark with its counts', async () => {
  await end(2, { rows: 1, unfinished: 1, failures: [FAILURE] });
  expect(told).toMatchObject([
    {
      event: { group: 2, rows: 1 },
      metadata: { actual_num_records: 1, total_num_batches: 1, num_completed_batches: 0 },
      files: ['batch_00002.parquet', 'batch_00002.parquet'],
    },
  ]);
  expect(gateway.kept).toEqual([[2, true]]);
  const mark = JSON.parse(readFileSync(folder.paths.partialMark(2), 'utf8')) as unknown;
  expect(mark).toMatchObject({ usage: { writer: { requests: 3 } } });
  expect(linesOf(folder.paths.failures)).toHaveLength(1);
  expect(linesOf(folder.paths.usage)).toEqual([]);
});

test('a group whose lost rows are made again keeps its rows and what it had cost before, when it is left unfinished', async () => {
  const again = { rows: [1], kept: 3, failures: [], images: [] };
  const spent = { usage: { writer: { ...noUsage(), requests: 7 } }, tools: {} };
  await markPartial(folder.paths, 0, { cells: {}, usage: {}, again: { ...again, spent } });
  const partial = new Map([[0, { cells: {}, usage: {}, again }]]);
  await end(0, { rows: 0, unfinished: 1 }, commitsOf({ partial }));
  expect(await readPartialGroup(folder.paths, 0)).toMatchObject({
    usage: { writer: { requests: 3 } },
    again: { ...again, spent },
  });
  expect([filesThere(), summary.rows]).toEqual([[], 3]);
});

test('an unfinished group without rows has no file, and loses its mark once it is finished', async () => {
  await end(0, { rows: 0, unfinished: 4 });
  expect([filesThere(), marks()]).toEqual([[], [expect.stringContaining('00000')]]);
  await end(0, {}, commitsOf({ partial: new Map([[0, { cells: {}, usage: {} }]]) }));
  expect([filesThere().length, marks()]).toEqual([2, []]);
  expect(gateway.kept).toEqual([
    [0, true],
    [0, false],
  ]);
});

test('a result that arrives after the end of the run is not committed', async () => {
  const commits = commitsOf();
  await commits.settle({ signal: NEVER, drain: NEVER });
  await end(0, {}, commits);
  expect([filesThere(), told, gateway.kept]).toEqual([[], [], []]);
});

test('a first group of which a processor refuses every row ends the run before anything is stored', async () => {
  const refused = { ...FAILURE, code: 'processor/lost-row' } as const;
  const failures = [refused, { ...refused, row: 2 }];
  const lost = [{ ...LOST, code: 'processor/lost-row', rows: 2 }] as const;
  await expect(end(0, { rows: 0, failures, lost })).rejects.toMatchObject({
    code: 'processor/no-rows',
    data: { rows: 2 },
  });
  expect([filesThere(), linesOf(folder.paths.usage), gateway.kept]).toEqual([[], [], []]);
  // Another machine has committed a group, and processors of other groups refuse some rows alone.
  await end(2, { rows: 0, failures, lost, isCommitted: true });
  await end(1, { rows: 2, failures, lost });
  await end(0, { rows: 0, failures, lost });
  expect(gateway.kept.map(([group]) => group)).toEqual([2, 1, 0]);
  expect(gateway.kept.at(-1)).toEqual([0, true]);
});

test('the checksums of all files and images are on disk before a file has its name, and an image goes before that', async () => {
  const images = [{ path: 'images/art/a.png', bytes: 3, crc32: 5 }];
  const orphan = join(folder.path, 'picture.png');
  writeFileSync(orphan, 'x');
  const seen: unknown[] = [];
  {
    using _ = replaceFiles({
      ...fileSystem,
      rename: async (from, to) => {
        if (to.includes('batch_')) seen.push([linesOf(folder.paths.checksums).length, existsSync(orphan)]);
        await fileSystem.rename(from, to);
      },
    });
    await end(3, { images, orphanedImages: ['picture.png'] });
  }
  expect(seen).toEqual([
    [3, false],
    [3, false],
  ]);
  const { images: stored } = await new ChecksumLog(folder.paths).read();
  expect([...stored]).toEqual([[3, images]]);
});
