import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { until } from '@data-designer/testing/until';
import { FinishedPrefix } from './finished-rows.ts';

/** Longer than the pause between two messages. */
const SEVERAL_PAUSES_MS = 350;

test('sends the finished rows before the first open one, each once, and no lost one', async () => {
  const sent: number[] = [];
  using finished = new FinishedPrefix(
    () => true,
    async (positions) => void sent.push(...positions),
  );
  finished.settle(1, 'lost');
  finished.settle(3, 'made');
  finished.settle(0, 'made');
  await until(() => sent.length > 0);
  expect(sent).toEqual([0]);
  finished.settle(2, 'made');
  await until(() => sent.length > 1);
  expect(sent).toEqual([0, 2, 3]);
});

test('sends no row after an unfinished one', async () => {
  const sent: number[] = [];
  using finished = new FinishedPrefix(
    () => true,
    async (positions) => void sent.push(...positions),
  );
  finished.settle(0, 'made');
  finished.settle(1, 'unfinished');
  finished.settle(2, 'made');
  await sleep(SEVERAL_PAUSES_MS);
  expect(sent).toEqual([0]);
});

test('sends nothing while nobody reads, and then what has gathered', async () => {
  const sent: number[] = [];
  let isAwaited = false;
  using finished = new FinishedPrefix(
    () => isAwaited,
    async (positions) => void sent.push(...positions),
  );
  finished.settle(0, 'made');
  finished.settle(1, 'made');
  await sleep(SEVERAL_PAUSES_MS);
  expect(sent).toEqual([]);
  isAwaited = true;
  await until(() => sent.length > 0);
  expect(sent).toEqual([0, 1]);
});

test('leaves rows that cannot be sent to the end of their group', async () => {
  let tries = 0;
  using finished = new FinishedPrefix(
    () => true,
    () => {
      tries++;
      return Promise.reject(new Error('no field can hold it'));
    },
  );
  finished.settle(0, 'made');
  await until(() => tries > 0);
  finished.settle(1, 'made');
  await sleep(SEVERAL_PAUSES_MS);
  expect(tries).toBe(1);
});
