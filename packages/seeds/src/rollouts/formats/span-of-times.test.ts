import { expect, test } from 'vitest';
import { spanOfTimes } from './span-of-times.ts';

test.each<[string, readonly (string | null)[], [string | null, string | null]]>([
  ['no times have no span', [], [null, null]],
  ['text that is not a time is skipped', ['soon', null, '2025-13-01', '1735689600'], [null, null]],
  [
    'times are compared across time zones',
    ['2025-01-01T12:00:00+02:00', '2025-01-01T11:00:00Z'],
    ['2025-01-01T12:00:00+02:00', '2025-01-01T11:00:00Z'],
  ],
  [
    'a time without a zone is UTC',
    ['2025-01-01T00:30:00+01:00', '2025-01-01 00:00'],
    ['2025-01-01T00:30:00+01:00', '2025-01-01 00:00'],
  ],
  [
    'times are compared to the microsecond',
    ['2025-01-01T00:00:00.000002Z', '2025-01-01T00:00:00.000001Z'],
    ['2025-01-01T00:00:00.000001Z', '2025-01-01T00:00:00.000002Z'],
  ],
  ['the first of equal times is given', ['2025-01-01', '2025-01-01T00:00:00Z'], ['2025-01-01', '2025-01-01']],
])('%s', (_, times, [startedAt, endedAt]) => {
  expect(spanOfTimes(times)).toEqual({ startedAt, endedAt });
});
