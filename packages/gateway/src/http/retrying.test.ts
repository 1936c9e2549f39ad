import { expect, test } from 'vitest';
import type { Attempt } from './attempt-judge.ts';
import { retrying } from './send-with-retries.ts';

const POLICY = { baseMs: 1, maxMs: 4, maxAttempts: 3 };
const signal = new AbortController().signal;

/** Runs attempts in turn; the last one repeats. */
function attempts(...list: readonly Attempt<string>[]) {
  let tried = 0;
  const tryOnce = () => Promise.resolve(list[Math.min(tried++, list.length - 1)] as Attempt<string>);
  return { tryOnce, tried: () => tried };
}

const failing = (counts: boolean, retryAfterMs?: number): Attempt<string> => ({
  again: 'failed',
  retryAfterMs,
  counts,
});

test('retries until an attempt is done', async () => {
  const { tryOnce, tried } = attempts(failing(true), failing(true), { done: 'answer' });
  expect(await retrying(tryOnce, { policy: POLICY, timeoutMs: 60_000, signal, paused: signal })).toBe('answer');
  expect(tried()).toBe(3);
});

test('returns the last failure when all counted attempts are used up', async () => {
  const { tryOnce, tried } = attempts(failing(true));
  expect(await retrying(tryOnce, { policy: POLICY, timeoutMs: 60_000, signal, paused: signal })).toBe('failed');
  expect(tried()).toBe(3);
});

test('rate limits are waited out and do not count as attempts', async () => {
  const limited = Array.from({ length: 8 }, () => failing(false, 1));
  const { tryOnce, tried } = attempts(...limited, { done: 'answer' });
  expect(await retrying(tryOnce, { policy: POLICY, timeoutMs: 60_000, signal, paused: signal })).toBe('answer');
  expect(tried()).toBe(9);
});

test('does not wait past the deadline, however long the server asks for', async () => {
  const { tryOnce, tried } = attempts(failing(false, 120_000));
  expect(await retrying(tryOnce, { policy: POLICY, timeoutMs: 1000, signal, paused: signal })).toBe('failed');
  expect(tried()).toBe(1);
});

test('a timed-out attempt is repeated once, with the same timeout', async () => {
  const given: number[] = [];
  const tryOnce = (remainingMs: number): Promise<Attempt<string>> => {
    given.push(Math.round(remainingMs / 1000));
    return Promise.resolve({ late: 'late' });
  };
  expect(await retrying(tryOnce, { policy: POLICY, timeoutMs: 9000, signal, paused: signal })).toBe('late');
  expect(given).toEqual([9, 9]);
  const { tryOnce: better } = attempts({ late: 'late' }, failing(true), { done: 'answer' });
  expect(await retrying(better, { policy: POLICY, timeoutMs: 9000, signal, paused: signal })).toBe('answer');
});

test('a wait requested by the server may be longer than a minute', async () => {
  const stop = new AbortController();
  const { tryOnce, tried } = attempts(failing(false, 90_000), { done: 'answer' });
  const waiting = retrying(tryOnce, { policy: POLICY, timeoutMs: 600_000, signal: stop.signal, paused: signal });
  setTimeout(() => stop.abort(), 20);
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  expect(tried()).toBe(1);
});

test('a pause ends the wait', async () => {
  const controller = new AbortController();
  const { tryOnce } = attempts(failing(false, 60_000));
  const waiting = retrying(tryOnce, { policy: POLICY, timeoutMs: 600_000, signal, paused: controller.signal });
  setTimeout(() => controller.abort(), 5);
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
});

test('each wait is drawn from 0 up to the back-off, so that calls that failed together do not retry together', async () => {
  const random = Math.random;
  const tries = async (drawn: number) => {
    Math.random = () => drawn;
    try {
      const { tryOnce, tried } = attempts(failing(true), { done: 'answer' });
      const policy = { baseMs: 60_000, maxMs: 60_000, maxAttempts: 3 };
      // A wait of the whole back-off would end after the deadline, so there would be no second attempt.
      await retrying(tryOnce, { policy, timeoutMs: 30_000, signal, paused: signal });
      return tried();
    } finally {
      Math.random = random;
    }
  };
  expect([await tries(0), await tries(0.9)]).toEqual([2, 1]);
});
