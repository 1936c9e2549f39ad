import { expect, test } from 'vitest';
import { Stopwatch, warmCpuMs } from './stopwatch.ts';

test('the CPU of the whole is that of its second half, twice', () => {
  const points = [0, 40, 50, 90].map((done, index) => ({ done, cpuMs: 1000 + [0, 80, 100, 110][index]! }));
  expect(warmCpuMs(points, { done: 100, cpuMs: 1120 })).toBe(40);
});

test('work that nobody saw half-way counts as it was', () => {
  expect(warmCpuMs([{ done: 0, cpuMs: 5 }], { done: 10, cpuMs: 25 })).toBe(20);
  expect(warmCpuMs([{ done: 0, cpuMs: 5 }], { done: 0, cpuMs: 25 })).toBe(20);
});

test('a watch that was started anew counts from there', () => {
  let done = 0;
  using watch = new Stopwatch(() => done);
  watch.start();
  done = 5;
  watch.start();
  const { wallMs, cpuMs } = watch.stop();
  expect([wallMs, cpuMs].every((ms) => ms >= 0)).toBe(true);
});
