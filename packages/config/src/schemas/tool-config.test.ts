import { expect, test } from 'vitest';
import { toolConfig } from './tool-config.ts';

const base = { toolAlias: 'lookup', providers: ['docs'] };

function mistakesOf(times: object): readonly string[] {
  const { error } = toolConfig.safeParse({ ...base, ...times });
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

test('a limit for the whole call needs reports of progress, and is not below the limit between two of them', () => {
  const needsReset =
    'maxTotalTimeoutSec: it limits calls whose progress is reported, and needs reset_timeout_on_progress: true';
  expect(mistakesOf({ maxTotalTimeoutSec: 100 })).toEqual([needsReset]);
  expect(mistakesOf({ maxTotalTimeoutSec: 100, resetTimeoutOnProgress: false })).toEqual([needsReset]);
  const resets = { resetTimeoutOnProgress: true };
  const tooLow = 'maxTotalTimeoutSec: it must not be less than timeout_sec';
  expect(mistakesOf({ ...resets, maxTotalTimeoutSec: 59 })).toEqual([`${tooLow} (60)`]);
  expect(mistakesOf({ ...resets, maxTotalTimeoutSec: 59, timeoutSec: 70 })).toEqual([`${tooLow} (70)`]);
  expect(mistakesOf({ ...resets, maxTotalTimeoutSec: 60 })).toEqual([]);
  expect(mistakesOf({ ...resets, maxTotalTimeoutSec: 5, timeoutSec: 5 })).toEqual([]);
  expect(mistakesOf(resets)).toEqual([]);
});
