import { expect, test } from 'vitest';
import { parseRunConfig } from '@data-designer/config';
import { endSettings, signalsOf } from './resolve-options.ts';

const settings = (given: object) => endSettings(parseRunConfig(given, 'The test'));

test('a run ends early at a rate of errors, unless that is off or can never be', () => {
  expect(settings({ shutdownErrorRate: 0.3, shutdownErrorWindow: 7 }).errorRate).toEqual({ rate: 0.3, window: 7 });
  expect(settings({ disableEarlyShutdown: true }).errorRate).toBeNull();
  expect(settings({ shutdownErrorRate: 1 }).errorRate).toBeNull();
});

test('a signal that is not given never comes', () => {
  const { signal } = new AbortController();
  expect(signalsOf({ signal }).signal).toBe(signal);
  expect(signalsOf({ signal }).drain.aborted).toBe(false);
});
