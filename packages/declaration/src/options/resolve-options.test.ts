import { expect, test } from 'vitest';
import { parseRunConfig } from '@data-designer/config';
import { endSettings, stopSignals } from './resolve-options.ts';

const settings = (given: object) => endSettings(parseRunConfig(given, 'The test'));

test('a run ends early at an error rate, unless that is disabled or unreachable', () => {
  expect(settings({ shutdownErrorRate: 0.3, shutdownErrorWindow: 7 }).errorRate).toEqual({ rate: 0.3, window: 7 });
  expect(settings({ disableEarlyShutdown: true }).errorRate).toBeNull();
  expect(settings({ shutdownErrorRate: 1 }).errorRate).toBeNull();
});

test('an omitted signal never fires', () => {
  const { signal } = new AbortController();
  expect(stopSignals({ signal }).signal).toBe(signal);
  expect(stopSignals({ signal }).drain.aborted).toBe(false);
});
