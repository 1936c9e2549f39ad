import { expect, test } from 'vitest';
import { RateWindow } from './rate-window.ts';

/** A window over a count that grows by `perSecond`, sampled every 100 ms. */
function grown(
  stretches: readonly { readonly seconds: number; readonly perSecond: number }[],
  atLeast = 0,
): RateWindow {
  const window = new RateWindow({ time: 0, total: 0 }, { atLeast });
  let time = 0;
  let total = 0;
  for (const { seconds, perSecond } of stretches) {
    for (let tick = 0; tick < seconds * 10; tick++) window.add((time += 100), (total += perSecond / 10));
  }
  return window;
}

test('the rate is zero before time has passed', () => {
  expect(new RateWindow({ time: 5, total: 7 }).perSecond).toBe(0);
});

test('the rate is known after the first second', () => {
  expect(grown([{ seconds: 1, perSecond: 4 }]).perSecond).toBeCloseTo(4);
});

test('the rate covers the last half minute, not the whole run', () => {
  const stretches = [
    { seconds: 600, perSecond: 100 },
    { seconds: 31, perSecond: 2 },
  ];
  expect(grown(stretches).perSecond).toBeCloseTo(2);
});

test('the rate of a count that stands still is zero', () => {
  const stretches = [
    { seconds: 60, perSecond: 10 },
    { seconds: 31, perSecond: 0 },
  ];
  expect(grown(stretches).perSecond).toBe(0);
});

test('the window grows until it covers enough of a slow count', () => {
  const window = new RateWindow({ time: 0, total: 0 }, { atLeast: 20 });
  for (let minute = 1; minute <= 60; minute++) window.add(minute * 60_000, minute);
  expect(window.perSecond).toBeCloseTo(1 / 60);
});

test('a very slow run keeps few samples and still has a rate', () => {
  expect(grown([{ seconds: 7200, perSecond: 0.001 }], 20).perSecond).toBeCloseTo(0.001);
});

test('a count that falls has no negative rate', () => {
  const window = new RateWindow({ time: 0, total: 50 });
  window.add(1000, 10);
  expect(window.perSecond).toBe(0);
});
