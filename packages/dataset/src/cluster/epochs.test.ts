import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isSuperseded, isTaken, returnEpoch, takeEpoch } from './epochs.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'epochs-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test('machines that take an epoch of one row group at once have different ones', async () => {
  const group = join(folder, 'group_00000');
  const taken = await Promise.all(Array.from({ length: 8 }, (_, index) => takeEpoch(group, `machine-${index}`)));
  expect(new Set(taken.map((epoch) => epoch?.number))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8]));
});

test('an epoch that was given back is no loss, and a later one supersedes an earlier one', async () => {
  const group = join(folder, 'group_00000');
  expect(await isTaken(group)).toBe(false);
  const first = await takeEpoch(group, 'a');
  if (!first) throw new Error('the run is not over');
  expect([await isSuperseded(group, first), await isTaken(group)]).toEqual([false, true]);
  await returnEpoch(group, first);
  expect(await isTaken(group)).toBe(false);
  const second = await takeEpoch(group, 'b');
  expect([first, second]).toEqual([
    { number: 1, losses: 0 },
    { number: 2, losses: 0 },
  ]);
  expect(await isSuperseded(group, first)).toBe(true);
  expect(await takeEpoch(group, 'c')).toEqual({ number: 3, losses: 1 });
});

test('once the run is over, no epoch can be taken', async () => {
  expect(await takeEpoch(join(folder, 'gone', 'group_00000'), 'a')).toBeUndefined();
});
