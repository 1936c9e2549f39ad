import { expect, test } from 'vitest';
import { PermitsInUse } from './permits-in-use.ts';

function after(states: readonly (readonly [time: number, inFlight: number, waiting: number])[]): number | undefined {
  const permits = new PermitsInUse();
  for (const [time, inFlight, waiting] of states) permits.add({ time, inFlight, waiting });
  return permits.mean;
}

test('the mean of requests in flight counts by time, once others have waited for five seconds', () => {
  expect(
    after([
      [0, 9, 1],
      [4000, 9, 1],
    ]),
  ).toBeUndefined();
  expect(
    after([
      [0, 9, 1],
      [1000, 1, 1],
      [5000, 6, 1],
    ]),
  ).toBeCloseTo((1 * 1 + 4 * 6) / 5);
});

test('older states do not count, and none from before a moment without a waiting request', () => {
  expect(
    after([
      [0, 100, 1],
      [1000, 100, 1],
      [4000, 4, 1],
      [6000, 4, 1],
      [9000, 4, 1],
    ]),
  ).toBe(4);
  expect(
    after([
      [0, 9, 1],
      [5000, 9, 1],
      [5100, 3, 0],
      [9000, 5, 2],
    ]),
  ).toBeUndefined();
});
