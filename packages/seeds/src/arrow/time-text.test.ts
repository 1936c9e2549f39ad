import { expect, test } from 'vitest';
import { dateText, momentText, timeText } from './time-text.ts';

const naive = { isZoned: false };

test.each([
  [0, '1970-01-01T00:00:00'],
  [1704164645250, '2024-01-02T03:04:05.250000'],
  [1704164645250.125, '2024-01-02T03:04:05.250125'],
  [1704164645999.9998, '2024-01-02T03:04:06'],
  [-1, '1969-12-31T23:59:59.999000'],
  [-62135596800000, '0001-01-01T00:00:00'],
  [NaN, 'infinity'],
])('prints %d ms as %s', (milliseconds, text) => {
  expect(momentText(milliseconds, naive)).toBe(text);
});

test('prints a timestamp with a time zone in UTC, with the offset', () => {
  expect(momentText(0, { isZoned: true })).toBe('1970-01-01T00:00:00+00:00');
});

test('prints dates and times of day', () => {
  expect([dateText(1704153600000), dateText(-86400000), dateText(NaN)]).toEqual([
    '2024-01-02',
    '1969-12-31',
    'infinity',
  ]);
  expect([timeText(11045, 0), timeText(11045250, 1), timeText(11045000001n, 2), timeText(1000n, 3)]).toEqual([
    '03:04:05',
    '03:04:05.250000',
    '03:04:05.000001',
    '00:00:00.000001',
  ]);
});
