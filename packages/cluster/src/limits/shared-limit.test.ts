import { expect, test } from 'vitest';
import { ADMISSION_SETTINGS } from '@data-designer/gateway/adaptive-limit';
import { type LimitState, SharedLimit } from './shared-limit.ts';

const limitOf = (known?: LimitState, cap = 20) => new SharedLimit({ cap, settings: ADMISSION_SETTINGS, known }, 0);
const ends = (answered: number, refused: number, lowest = 1) => ({ answered, refused, lowest });

test('the limit of a new run is its cap, which time does not change', () => {
  const limit = limitOf();
  expect(limit.now(0)).toEqual({ limit: 20, round: 0, stoppedMs: 0 });
  expect(limit.changesIn(0)).toBeUndefined();
});

test('a new owner begins with what the earlier one found, in a later round', () => {
  const limit = limitOf({ limit: 4, round: 7, stoppedMs: 500 });
  expect(limit.now(0)).toEqual({ limit: 4, round: 8, stoppedMs: 500 });
  expect(limit.changesIn(0)).toBe(500);
  expect(limit.now(400).stoppedMs).toBe(100);
  expect(limit.now(501)).toMatchObject({ round: 8, stoppedMs: 0 });
  expect(limitOf({ limit: 4, round: 7, stoppedMs: 0 }).now(0)).toEqual({ limit: 4, round: 8, stoppedMs: 0 });
});

test('answers leave the cap, and a refusal lowers the limit and begins a round', () => {
  const limit = limitOf();
  limit.take({ granted: { 0: 20 }, ends: { 0: ends(10, 0) }, retryAfterMs: 0 }, 10, 1);
  expect(limit.now(1)).toEqual({ limit: 20, round: 0, stoppedMs: 0 });
  limit.take({ granted: { 0: 10 }, ends: { 0: ends(0, 5) }, retryAfterMs: 0 }, 15, 2);
  const { limit: lower, round } = limit.now(2);
  expect(lower).toBeLessThan(20);
  expect(round).toBe(1);
  // Refusals of requests of the earlier round say nothing new.
  limit.take({ granted: {}, ends: { 0: ends(0, 5) }, retryAfterMs: 0 }, 10, 3);
  expect(limit.now(3)).toMatchObject({ round: 1 });
});

test('a Retry-After stops all machines for its time', () => {
  const limit = limitOf();
  limit.take({ granted: { 0: 20 }, ends: { 0: ends(0, 1) }, retryAfterMs: 3000 }, 19, 10);
  const { stoppedMs, limit: left } = limit.now(10);
  expect(stoppedMs).toBe(3000);
  expect(left).toBeGreaterThan(0);
  expect(limit.now(3011).stoppedMs).toBe(0);
});

test('rounds of an earlier owner are older than those of this one', () => {
  const limit = limitOf({ limit: 10, round: 4, stoppedMs: 0 });
  limit.take({ granted: { 4: 10 }, ends: { 4: ends(0, 5) }, retryAfterMs: 0 }, 5, 1);
  expect(limit.now(1)).toMatchObject({ limit: 10, round: 5 });
  limit.take({ granted: { 5: 10 }, ends: { 5: ends(0, 5) }, retryAfterMs: 0 }, 5, 2);
  expect(limit.now(2).round).toBe(6);
});
