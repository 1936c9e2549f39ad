import { expect, test } from 'vitest';
import { VirtualTime } from '../../test/virtual-time.ts';
import { SuspensionWatch } from './suspension-watch.ts';

test('a suspension is noticed once, by the first check or by the timer, and a busy thread is none', () => {
  const time = new VirtualTime();
  const wokenAt: number[] = [];
  const watch = new SuspensionWatch(time, () => wokenAt.push(time.now()));
  time.run(5000);
  time.suspend(900);
  watch.check(time.now());
  expect(wokenAt).toEqual([]);
  time.suspend(5000);
  watch.check(time.now());
  watch.check(time.now());
  time.run(time.now() + 1000);
  expect(wokenAt).toEqual([10_900]);
  time.suspend(2000);
  time.run(time.now() + 1000);
  expect(wokenAt).toHaveLength(2);
  watch[Symbol.dispose]();
  time.suspend(5000);
  time.run();
  expect(wokenAt).toHaveLength(2);
});
