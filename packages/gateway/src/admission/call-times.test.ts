import { expect, test } from 'vitest';
import { CallTimes } from './call-times.ts';

const ANSWERED = { isAnswered: true };

function total(counts: readonly (readonly [number, number])[] = []): number {
  return counts.reduce((sum, [, calls]) => sum + calls, 0);
}

test('counts how long answered calls took and calls in flight have taken, by column', () => {
  const times = new CallTimes();
  const ends = [0, 10, 20].map((time) => times.begin('fact', time));
  times.begin('quiz', 500);
  ends[0]?.({ time: 1000, ...ANSWERED });
  ends[1]?.({ time: 1010, ...ANSWERED });
  const { fact, quiz } = times.counts(1020);
  expect(fact?.ended.map(([ms, calls]) => [Math.round(ms / 100), calls])).toEqual([[10, 2]]);
  expect(fact?.running.map(([ms, calls]) => [Math.round(ms / 100), calls])).toEqual([[10, 1]]);
  expect(quiz).toMatchObject({ ended: [], running: [[expect.closeTo(520, -2), 1]] });
});

test('a call without an answer does not count', () => {
  const times = new CallTimes();
  times.begin('fact', 0)({ time: 50, isAnswered: false });
  expect(times.counts(60)).toEqual({ fact: { ended: [], running: [] } });
});

/** Calls, of which the first wave takes so long, and the others 100 ms. */
function afterFirstWave(firstMs: number, later: number): CallTimes {
  const times = new CallTimes();
  const first = Array.from({ length: 16 }, () => times.begin('fact', 0));
  for (const [at, end] of first.entries()) end({ time: firstMs * (0.9 + 0.05 * (at % 5)), ...ANSWERED });
  for (let at = 0; at < later; at++)
    times.begin('fact', 2000)({ time: 2000 + 100 * (0.9 + 0.05 * (at % 5)), ...ANSWERED });
  return times;
}

test('unusual first answers count until enough others are there', () => {
  expect(total(afterFirstWave(1000, 7).counts(3000)['fact']?.ended)).toBe(23);
  expect(total(afterFirstWave(1000, 8).counts(3000)['fact']?.ended)).toBe(8);
  expect(total(afterFirstWave(100, 8).counts(3000)['fact']?.ended)).toBe(24);
});

test('the latest calls count, and old ones that are in flight', () => {
  const times = new CallTimes();
  times.begin('fact', 0);
  for (let call = 0; call < 600; call++) times.begin('fact', call)({ time: call + 700, ...ANSWERED });
  const endless = times.counts(2000)['fact'];
  expect([total(endless?.ended), total(endless?.running)]).toEqual([600, 1]);
  const ended = new CallTimes();
  for (let call = 0; call < 600; call++) ended.begin('fact', call)({ time: call + 7, ...ANSWERED });
  expect(total(ended.counts(2000)['fact']?.ended)).toBe(512);
});
