import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { field, type Row } from '@data-designer/core';
import { batchName, datasetPaths, exportRows, readBatch } from '@data-designer/dataset';
import { planOf, sampled } from '../../test/plan-of.ts';
import { AcceptedRows } from './accepted-rows.ts';
import { isSelecting, type SelectingPlan } from './candidate-plan.ts';
import { RowJudge } from './row-judge.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'accepted-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const FIELDS = [field('n', 'int64')];

function selecting(rows: number, select: object = {}): SelectingPlan {
  const n = sampled('n', 'uniform', { params: { low: 0, high: 9 } });
  const plan = planOf({ columns: [n], select: { unique: [{ exact: ['n'] }], ...select } }, { numRecords: rows });
  if (!isSelecting(plan)) throw new Error('the plan has no selection');
  return { ...plan, fields: FIELDS };
}

async function opened(plan: SelectingPlan, groups: readonly (readonly number[])[]) {
  const [from, to] = [datasetPaths(join(folder, 'candidates')), datasetPaths(folder)];
  for (const paths of [from, to]) {
    for (const path of [paths.parquetFiles, paths.partialFiles]) mkdirSync(path, { recursive: true });
  }
  for (const [group, values] of groups.entries()) {
    const records = values.map((n): Row => ({ n }));
    await exportRows(
      { records: iterate(records), fields: FIELDS },
      join(from.parquetFiles, batchName(group, 'parquet')),
      'parquet',
    );
  }
  const added: { readonly group: number; readonly digest: string }[] = [];
  const room: number[] = [];
  const stored = new Map<number, string>();
  const written = {
    has: (group: number, digest: string) => stored.get(group) === digest,
    makeRoom: async (group: number) => void room.push(group),
    add: async (decided: { readonly group: number; readonly digest: string }) => {
      added.push(decided);
      stored.set(decided.group, decided.digest);
    },
  };
  const judge = await RowJudge.open(plan.select);
  const rows = () => new AcceptedRows(plan, { from, to, format: 'parquet' }, { judge, written });
  const rowsOf = async (group: number) =>
    (await Array.fromAsync(readBatch(join(to.parquetFiles, batchName(group, 'parquet'))))).map(({ n }) => Number(n));
  return { from, to, rows, added, room, rowsOf, written, stored };
}

async function* iterate(rows: readonly Row[]): AsyncGenerator<Row> {
  yield* rows;
}

const GROUPS = [0, 1, 2].map((index) => ({ index, rows: 4 }));

test('candidates are decided in order until there are enough, and accepted ones keep the number of their group', async () => {
  const { rows, added, room, rowsOf } = await opened(selecting(4), [
    [1, 1, 2],
    [2, 1],
    [3, 2, 4, 5],
  ]);
  const accepted = rows();
  expect([accepted.lastGroup, accepted.isComplete]).toEqual([-1, false]);
  const decided = await Array.fromAsync(accepted.advance(GROUPS));
  expect(decided.map(({ group, rows: made }) => [group, made])).toEqual([
    [0, 2],
    [1, 0],
    [2, 2],
  ]);
  expect(decided.map(({ refused }) => refused.map(({ row }) => row))).toEqual([[1], [3, 4], [6]]);
  expect([accepted.accepted, accepted.decided, accepted.unmade, accepted.lastGroup]).toEqual([4, 12, 3, 2]);
  expect([accepted.isComplete, accepted.hasEmptyFiles]).toEqual([true, true]);
  expect(accepted.refused).toMatchObject([{ code: 'select/duplicate', column: 'n', rows: 4 }]);
  expect(await Promise.all([0, 1, 2].map(rowsOf))).toEqual([[1, 2], [], [3, 4]]);
  expect(room).toEqual([0, 1, 2]);
  expect(added).toMatchObject([
    { group: 0, decided: 3, accepted: 2, unmade: 1 },
    { group: 1, decided: 2, accepted: 0, unmade: 2 },
    { group: 2, decided: 3, accepted: 2, unmade: 0 },
  ]);
});

test('a group waits for those before it, and for its own end', async () => {
  const { from, rows } = await opened(selecting(9), [[1], [2], [3]]);
  const accepted = rows();
  mkdirSync(dirname(from.partialMark(1)), { recursive: true });
  writeFileSync(from.partialMark(1), '');
  expect(await Array.fromAsync(accepted.advance(GROUPS))).toHaveLength(1);
  expect([accepted.lastGroup, accepted.accepted]).toEqual([0, 1]);
  rmSync(from.partialMark(1));
  rmSync(join(from.parquetFiles, batchName(2, 'parquet')));
  expect((await Array.fromAsync(accepted.advance(GROUPS))).map(({ group }) => group)).toEqual([1]);
  expect(accepted.decided).toBe(8);
});

test('decisions that are stored are not written again', async () => {
  const { rows, added, room } = await opened(selecting(2), [[1, 2]]);
  await Array.fromAsync(rows().advance(GROUPS));
  expect(added).toHaveLength(1);
  const again = await opened(selecting(2), [[1, 2]]);
  const digest = added[0]?.digest ?? '';
  again.stored.set(0, digest);
  const accepted = again.rows();
  await Array.fromAsync(accepted.advance(GROUPS));
  expect([again.added, again.room, accepted.accepted]).toEqual([[], [], 2]);
  expect(room).toEqual([0]);
});

test('refused rows are kept with their reasons where the rules say so', async () => {
  const { to, rows } = await opened(selecting(2, { keep_rejected: true }), [[1, 1, 2]]);
  await Array.fromAsync(rows().advance(GROUPS));
  const file = join(to.folder, 'rejected', batchName(0, 'parquet'));
  const kept = await Array.fromAsync(readBatch(file));
  expect(kept.map(({ n, _reason }) => [Number(n), typeof _reason])).toEqual([[1, 'string']]);
});
