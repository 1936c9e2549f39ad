import { expect, test } from 'vitest';
import { spanOfTimes } from './span-of-times.ts';

test.each<[string, readonly (string | null)[], [string | null, string | null]]>([
  ['of none there is no span', [], [null, null]],
  ['what is no time is passed over', ['soon', null, '2025-13-01', '1735689600'], [null, null]],
  [
    'zones count',
    ['2025-01-01T12:00:00+02:00', '2025-01-01T11:00:00Z'],
    ['2025-01-01T12:00:00+02:00', '2025-01-01T11:00:00Z'],
  ],
  [
    'without a zone it is UTC',
    ['2025-01-01T00:30:00+01:00', '2025-01-01 00:00'],
    ['2025-01-01T00:30:00+01:00', '2025-01-01 00:00'],
  ],
  [
    'microseconds count',
    ['2025-01-01T00:00:00.000002Z', '2025-01-01T00:00:00.000001Z'],
    ['2025-01-01T00:00:00.000001Z', '2025-01-01T00:00:00.000002Z'],
  ],
  ['of the same moments the first is told', ['2025-01-01', '2025-01-01T00:00:00Z'], ['2025-01-01', '2025-01-01']],
])('%s', (_, times, [startedAt, endedAt]) => {
  expect(spanOfTimes(times)).toEqual({ startedAt, endedAt });
});
