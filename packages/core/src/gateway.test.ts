import { expect, test } from 'vitest';
import { ATTEMPT_CALLS, besideWorldCalls, MOST_WORLD_CALLS, toolCallOf, worldCall } from './gateway.ts';

test('the requests during a tool call have numbers of their own, within its attempt', () => {
  for (const base of [0, ATTEMPT_CALLS, 999 * ATTEMPT_CALLS]) {
    expect(worldCall(base, 0)).toBe(base + 65_536);
    expect(worldCall(base + 3, 7)).toBe(base + 65_567);
    expect(worldCall(base + 4, 0)).toBe(base + 65_568);
    expect(toolCallOf(base + 65_567)).toBe(base + 3);
    expect(toolCallOf(base + 65_568)).toBe(base + 4);
    expect([base, base + 65_535, base + 589_824].map(toolCallOf)).toEqual([undefined, undefined, undefined]);
  }
});

test('a tool call has eight of them, and one with such a number itself has none', () => {
  expect(worldCall(5, MOST_WORLD_CALLS)).toBeUndefined();
  expect(worldCall(65_535, 7)).toBe(589_823);
  expect(worldCall(65_536, 0)).toBeUndefined();
  const base = 2 * ATTEMPT_CALLS;
  const asked = [0, 65_535, 65_536, 589_823, 589_824].map((call) => besideWorldCalls(base + call) - base);
  expect(asked).toEqual([0, 65_535, 589_824, 589_824, 589_824]);
});

test('the numbers of all attempts fit the draws, which count 32 bits of pairs', () => {
  expect(1000 * ATTEMPT_CALLS * 2).toBeLessThan(2 ** 32);
});
