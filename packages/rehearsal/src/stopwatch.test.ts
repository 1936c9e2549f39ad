import { expect, test } from 'vitest';
import { Stopwatch, warmCpuMs } from './stopwatch.ts';

test('the CPU time of the whole is twice that of its second half', () => {
  const points = [0, 40, 50, 90].map((done, index) => ({ done, cpuMs: 1000 + [0, 80, 100, 110][index]! }));
  expect(warmCpuMs(points, { done: 100, cpuMs: 1120 })).toBe(40);
});

test('without a measurement at half-way, the whole CPU time counts', () => {
  expect(warmCpuMs([{ done: 0, cpuMs: 5 }], { done: 10, cpuMs: 25 })).toBe(20);
  expect(warmCpuMs([{ done: 0, cpuMs: 5 }], { done: 0, cpuMs: 25 })).toBe(20);
});

test('a stopwatch can be restarted', () => {
  let done = 0;
  using watch = new Stopwatch(() => done);
  watch.start();
  done = 5;
  watch.start();
  const { wallMs, cpuMs } = watch.stop();
  expect([wallMs, cpuMs].every((ms) => ms >= 0)).toBe(true);
});
