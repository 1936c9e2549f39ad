import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import type { ClusterPaths } from '@data-designer/dataset';
import { testFolder } from '@data-designer/testing/test-folder';
import type { Beat } from '../redis/run-state.ts';
import type { Timing } from '../timing.ts';
import { MachineList } from './machine-list.ts';

const folder = testFolder('machines');

const cluster = { machine: (id: string) => join(folder, id) } as ClusterPaths;
const beat = (id: string, count = 1, more: object = {}): Beat =>
  ({ id, count, hasStopped: false, open: [3], models: ['m'], ...more }) as unknown as Beat;
const listOf = (timing: Partial<Timing> = {}) =>
  new MachineList({ cluster, timing: { silenceMs: 0, beatMs: 1e6, ...timing } as Timing });

beforeEach(() => {
  for (const id of ['a', 'b']) writeFileSync(join(folder, id), '');
});

test('a machine works once its file is seen in the folder, until it stops', () => {
  const list = listOf();
  list.take([beat('a'), beat('stranger')]);
  expect([list.present.length, list.working.length]).toEqual([2, 0]);
  expect([...list.accept(new Map())]).toEqual([['a', true]]);
  expect([...list.accept(new Map([['a', true]]))]).toEqual([]);
  expect(list.working.map(({ id }) => id)).toEqual(['a']);
  list.take([beat('a', 2, { hasStopped: true }), beat('stranger', 2)]);
  expect(list.working).toEqual([]);
  expect(list.present.map(({ id }) => id)).toEqual(['a', 'stranger']);
});

test('a machine whose file is not seen for long is told so', () => {
  const list = listOf({ beatMs: 0 });
  list.take([beat('stranger')]);
  expect([...list.accept(new Map())]).toEqual([['stranger', false]]);
  expect([...list.accept(new Map([['stranger', false]]))]).toEqual([]);
});

test('a machine that leaves is forgotten, and so is one that had stopped', async () => {
  const list = listOf();
  list.take([beat('a'), beat('b'), beat('c', 1, { hasStopped: true })]);
  await sleep(2);
  list.take([beat('a', 2, { hasLeft: true }), beat('b', 2)]);
  expect(list.seen().map(({ id }) => id)).toEqual(['b']);
});

test('a silent machine is lost and has no work, until it reports again', async () => {
  const list = listOf({ silenceMs: 1 });
  list.take([beat('a'), beat('b')]);
  list.accept(new Map());
  await sleep(5);
  list.take([beat('b', 2)]);
  expect(list.present.map(({ id }) => id)).toEqual(['b']);
  expect(list.working.map(({ id }) => id)).toEqual(['b']);
  expect(list.seen().find(({ id }) => id === 'a')).toMatchObject({ isLost: true, open: [], models: [] });
  expect(list.seen().find(({ id }) => id === 'b')).toMatchObject({ isLost: false, open: [3], models: ['m'] });
  list.take([beat('a', 2), beat('b', 3)]);
  expect(list.working.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('an emptied list of reports does not lose machines that were heard of lately', () => {
  const list = listOf({ silenceMs: 1e6 });
  list.take([beat('a')]);
  list.take([]);
  expect(list.present.map(({ id }) => id)).toEqual(['a']);
});

test('the machine that was heard of last is the first successor', async () => {
  const list = listOf({ silenceMs: 1e6 });
  list.take([beat('a'), beat('b')]);
  list.accept(new Map());
  await sleep(5);
  list.take([beat('a', 1), beat('b', 2)]);
  expect(list.successors.map(({ id }) => id)).toEqual(['b', 'a']);
  await sleep(5);
  list.take([beat('a', 2), beat('b', 2)]);
  expect(list.successors.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(list.seen().every(({ lastSeenMs }) => Number.isInteger(lastSeenMs))).toBe(true);
});
