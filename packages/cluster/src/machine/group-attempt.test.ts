import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { DataDesignerError, type Plan } from '@data-designer/core';
import {
  type ClusterPaths,
  clusterPaths,
  type DatasetPaths,
  datasetPaths,
  readCommit,
  sideTables,
  takeEpoch,
} from '@data-designer/dataset';
import type { GroupChannels, RowGroupResult } from '@data-designer/engine/parts';
import type { RunGateway } from '@data-designer/gateway';
import { testFolder } from '@data-designer/testing/test-folder';
import { makeSideFolders } from '../../../dataset/src/side-tables.ts';
import { writeBatch } from '../../../engine/src/row-group/write-batch.ts';
import { planOf, sampled } from '../../../engine/test/plan-of.ts';
import { type AttemptParts, attemptGroup } from './group-attempt.ts';

const root = testFolder('group-attempt');
const GROUP = { index: 0, firstRow: 0, rows: 4 };
const NOTHING = { lost: [], cells: {}, failures: [], usage: {}, tools: {}, orphanedImages: [] };
const PLAN: Plan = planOf(
  { columns: [sampled('id', 'uuid', { params: {} }), { ...sampled('left', 'uuid', { params: {} }), drop: true }] },
  { run: { preserveDroppedColumns: true } },
);

let paths: DatasetPaths;
let cluster: ClusterPaths;
/** How often the journal of the group was closed, and whether it was kept. */
let closed: boolean[];
let runs: number;

beforeEach(async () => {
  paths = datasetPaths(mkdtempSync(join(root, 'data-')));
  cluster = clusterPaths(paths, 'a-run');
  for (const path of [cluster.commits, cluster.epochs, paths.parquetFiles, paths.partialFiles])
    mkdirSync(path, { recursive: true });
  await makeSideFolders(paths, sideTables(PLAN));
  closed = [];
  runs = 0;
});

/** Four rows of a machine. */
const batchOf = (fields: Plan['fields'], machineName: string) => ({
  fields,
  columns: new Map(fields.map(({ name }) => [name, Array.from({ length: GROUP.rows }, () => machineName)])),
  rows: GROUP.rows,
});

/** A machine whose executor writes the files of a group and ends it with a result; none if it ends before that. */
function machine(name: string, result: Partial<RowGroupResult> | undefined): AttemptParts {
  const gateway: Pick<RunGateway, 'closeGroup'> = {
    closeGroup: async (_, { keepJournal }) => void closed.push(keepJournal),
  };
  return {
    machine: name,
    plan: PLAN,
    format: 'parquet',
    paths,
    cluster,
    gateway: gateway as RunGateway,
    channels: {} as GroupChannels,
    local: {
      async *run([group], { destination }) {
        runs++;
        const index = group && 'index' in group ? group.index : GROUP.index;
        const sides = [batchOf(PLAN.dropped ?? [], name)];
        const output = await writeBatch(destination(index), batchOf(PLAN.fields, name), sides);
        if (result) yield { ...NOTHING, group: index, rows: 4, unfinished: 0, output, ...result };
      },
    },
  };
}

const attempt = (name: string, result: Partial<RowGroupResult> = {}) => {
  const epochs: number[] = [];
  const outcome = attemptGroup(GROUP, machine(name, result), ({ number }) => epochs.push(number));
  return outcome.then((ended) => ({ ...ended, epochs }));
};
const record = () => readCommit<RowGroupResult>(cluster.commit(GROUP.index));
const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).length;
const epochs = () => readdirSync(cluster.epochsOf(GROUP.index)).toSorted();

test('the first machine commits a group with its side table, and a later one makes it no more', async () => {
  const orphan = 'picture.png';
  writeFileSync(join(paths.folder, orphan), '');
  expect(await attempt('first', { orphanedImages: [orphan] })).toEqual({ kind: 'committed', rows: 4, epochs: [1] });
  expect([filesIn(paths.parquetFiles), filesIn(paths.droppedColumns), filesIn(paths.partialFiles)]).toEqual([1, 1, 0]);
  expect(existsSync(join(paths.folder, orphan))).toBe(false);
  expect(await record()).toMatchObject({ machine: 'first', epoch: 1, result: { rows: 4 } });
  expect((await record())?.files?.map(({ path }) => path.split('/')[0])).toEqual([
    'dropped-columns-parquet-files',
    'parquet-files',
  ]);
  expect(await attempt('second')).toEqual({ kind: 'committed', rows: 0, epochs: [] });
  expect([runs, closed]).toEqual([1, [true]]);
});

test('a machine that comes second with its files discards them', async () => {
  const late = machine('late', {});
  const first = machine('first', {});
  const outrun: AttemptParts = {
    ...late,
    local: {
      async *run(...given) {
        for await (const result of late.local.run(...given)) {
          await attemptGroup(GROUP, first, () => {});
          yield result;
        }
      },
    },
  };
  expect(await attemptGroup(GROUP, outrun, () => {})).toEqual({ kind: 'committed', rows: 0 });
  expect(await record()).toMatchObject({ machine: 'first', epoch: 2 });
  expect([filesIn(paths.parquetFiles), filesIn(paths.partialFiles)]).toEqual([1, 0]);
});

test('a group that a machine cannot finish is given back, and counts as no loss', async () => {
  const fatal = new DataDesignerError('run/aborted', { reason: 'by a test' });
  expect(await attempt('first', { unfinished: 1 })).toEqual({ kind: 'returned', epochs: [1] });
  const ended = await attempt('second', { unfinished: 4, fatal: fatal.toWire() });
  expect(ended).toMatchObject({ kind: 'returned', fatal: { code: 'run/aborted' }, epochs: [2] });
  expect(await record()).toBeUndefined();
  expect([filesIn(paths.parquetFiles), filesIn(paths.partialFiles)]).toEqual([0, 0]);
  expect(epochs()).toEqual(['000001.returned', '000002.returned']);
  expect(await attempt('third')).toMatchObject({ rows: 4, epochs: [3] });
});

test('a group that lost all rows to failures that may pass is committed without files', async () => {
  const lost = [{ column: 'id', code: 'model/unreachable', message: 'no', rows: 4 }] as const;
  expect(await attempt('first', { rows: 0, lost })).toMatchObject({ kind: 'committed', rows: 0 });
  expect((await record())?.files).toBeNull();
  expect([filesIn(paths.parquetFiles), filesIn(paths.partialFiles)]).toEqual([0, 0]);
});

test('a group whose rows a processor refuses ends the run where no rows are committed, and else is committed', async () => {
  const failures = [
    { row: 0, column: 'id', code: 'processor/lost-row', message: 'refused', onFailure: 'drop_row', messages: [] },
  ] as const;
  const refused = { rows: 0, failures };
  expect(await attempt('first', refused)).toMatchObject({ kind: 'returned', fatal: { code: 'processor/no-rows' } });
  expect(await record()).toBeUndefined();
  writeFileSync(join(paths.parquetFiles, 'batch_00007.parquet'), '');
  expect(await attempt('second', refused)).toMatchObject({ kind: 'committed', rows: 0 });
  expect(await record()).toMatchObject({ machine: 'second' });
});

test('a group that lost 20 machines is abandoned, and one that lost 19 is made', async () => {
  for (let lost = 0; lost < 19; lost++) await takeEpoch(cluster.epochsOf(GROUP.index), `machine ${lost}`);
  expect(await attempt('made')).toMatchObject({ kind: 'committed', rows: 4 });
  const other = { ...GROUP, index: 1 };
  for (let lost = 0; lost < 20; lost++) await takeEpoch(cluster.epochsOf(other.index), `machine ${lost}`);
  expect(await attemptGroup(other, machine('late', {}), () => {})).toEqual({ kind: 'committed', rows: 0 });
  expect(runs).toBe(1);
  expect(await readCommit(cluster.commit(other.index))).toMatchObject({
    files: null,
    result: { rows: 0, unfinished: 4, abandoned: { code: 'cluster/machines-lost', data: { losses: 20 } } },
  });
});

test('an attempt in a run that is over begins nothing', async () => {
  const gone = { ...machine('late', {}), cluster: clusterPaths(paths, 'another-run') };
  expect(await attemptGroup(GROUP, gone, () => {})).toEqual({ kind: 'committed', rows: 0 });
  expect([runs, closed]).toEqual([0, []]);
});

const ends = () => attemptGroup(GROUP, machine('first', undefined), () => {});

test('an attempt whose executor ends keeps its files while the run lasts, as a record may name them', async () => {
  writeFileSync(cluster.start, '{}');
  await expect(ends()).rejects.toMatchObject({ code: 'run/aborted' });
  expect([filesIn(paths.partialFiles), closed]).toEqual([2, [true]]);
  rmSync(cluster.start);
  writeFileSync(cluster.finishing, '{}');
  await expect(ends()).rejects.toMatchObject({ code: 'run/aborted' });
  // Those of the first attempt stay.
  expect(filesIn(paths.partialFiles)).toBe(2);
});
