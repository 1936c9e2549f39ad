import { expect, test } from 'vitest';
import type { ProgressSnapshot } from '@data-designer/engine';
import { RateHistory } from './rate-history.ts';

/** The sparkline after snapshots in which so many cells were finished at these times in seconds. */
function sparklineOf(...snapshots: readonly (readonly [seconds: number, done: number])[]): string {
  const history = new RateHistory();
  for (const [seconds, done] of snapshots) {
    const columns = [{ column: 'fact', done, inFlight: 0, perSecond: 0 }];
    history.add({ elapsedMs: seconds * 1000, columns, rows: { done: 0 } } as unknown as ProgressSnapshot);
  }
  return history.sparkline;
}

test('each second that is over has a bar, and the tallest one is that of the most cells', () => {
  expect(sparklineOf([0, 0], [1, 0], [1.9, 4], [2, 4], [2.9, 12], [3, 12], [3.5, 500])).toBe('▅█');
});

test('seconds without a snapshot have the lowest bar', () => {
  expect(sparklineOf([0, 0], [1.5, 8], [4, 8], [5, 9])).toBe('█▁▁▁');
});

test('there is no sparkline before two seconds are over, and none without a cell', () => {
  expect(sparklineOf([0, 0], [0.5, 30])).toBe('');
  expect(sparklineOf([0, 0], [9, 0])).toBe('');
});

test('only the last twenty seconds are shown', () => {
  const snapshots = Array.from({ length: 90 }, (_, second) => [second, second * 3] as const);
  expect(sparklineOf(...snapshots)).toBe('█'.repeat(20));
});
