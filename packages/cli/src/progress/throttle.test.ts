import { expect, test } from 'vitest';
import { Throttle } from './throttle.ts';

test('lets one value pass per interval, and gives the latest held one at the end', () => {
  const throttle = new Throttle<number>(100, 0);
  const passed = [0, 40, 99, 105, 150, 199, 210, 230].map((time) => throttle.offer(time, time));
  expect(passed).toEqual([0, undefined, undefined, 105, undefined, undefined, 210, undefined]);
  expect(throttle.flush()).toBe(230);
  expect(throttle.flush()).toBeUndefined();
});

test('holds the first value until its time', () => {
  const throttle = new Throttle<string>(100, 100);
  expect([throttle.offer('early', 1), throttle.offer('due', 100)]).toEqual([undefined, 'due']);
  expect(throttle.flush()).toBeUndefined();
});
