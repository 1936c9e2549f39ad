import { expect, test } from 'vitest';
import { RateWindow } from './rate-window.ts';

/** A window over what grows by `perSecond`, looked at every 100 ms. */
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

test('nothing has a rate before time has passed', () => {
  expect(new RateWindow({ time: 5, total: 7 }).perSecond).toBe(0);
});

test('a rate is told from the first second on', () => {
  expect(grown([{ seconds: 1, perSecond: 4 }]).perSecond).toBeCloseTo(4);
});

test('a rate is that of the last half minute, not of the whole run', () => {
  const stretches = [
    { seconds: 600, perSecond: 100 },
    { seconds: 31, perSecond: 2 },
  ];
  expect(grown(stretches).perSecond).toBeCloseTo(2);
});

test('what stands still has no rate', () => {
  const stretches = [
    { seconds: 60, perSecond: 10 },
    { seconds: 31, perSecond: 0 },
  ];
  expect(grown(stretches).perSecond).toBe(0);
});

test('a slow count is looked at over so long that enough has happened', () => {
  const window = new RateWindow({ time: 0, total: 0 }, { atLeast: 20 });
  for (let minute = 1; minute <= 60; minute++) window.add(minute * 60_000, minute);
  expect(window.perSecond).toBeCloseTo(1 / 60);
});

test('a very slow run keeps few samples, and its rate', () => {
  expect(grown([{ seconds: 7200, perSecond: 0.001 }], 20).perSecond).toBeCloseTo(0.001);
});

test('work that is done again has no negative rate', () => {
  const window = new RateWindow({ time: 0, total: 50 });
  window.add(1000, 10);
  expect(window.perSecond).toBe(0);
});
