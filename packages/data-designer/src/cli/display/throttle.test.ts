import { expect, test } from 'vitest';
import { Thinned } from './throttle.ts';

test('one passes in each span of time, the latest that was held back at the end', () => {
  const thinned = new Thinned<number>(100, 0);
  const passed = [0, 40, 99, 105, 150, 199, 210, 230].map((time) => thinned.take(time, time));
  expect(passed).toEqual([0, undefined, undefined, 105, undefined, undefined, 210, undefined]);
  expect(thinned.rest()).toBe(230);
  expect(thinned.rest()).toBeUndefined();
});

test('the first may have to wait', () => {
  const thinned = new Thinned<string>(100, 100);
  expect([thinned.take('early', 1), thinned.take('due', 100)]).toEqual([undefined, 'due']);
  expect(thinned.rest()).toBeUndefined();
});
