import { expect, test } from 'vitest';
import { readMoment } from './read-moment.ts';

const NOON = Date.UTC(2024, 1, 29, 12) * 1000;

test.each([
  ['2024-02-29', NOON - 12 * 3.6e9],
  ['2024-02-29T12:00', NOON],
  [' 2024-02-29 12:00:00 ', NOON],
  ['2024-02-29t12:00:00z', NOON],
  ['2024-02-29T12:00:00.25Z', NOON + 250_000],
  ['2024-02-29T12:00:00,1234567', NOON + 123_456],
  ['2024-02-29T17:30:00+05:30', NOON],
  ['2024-02-29 10:00 -0200', NOON],
  ['2024-02-29T24:00:00Z', NOON + 12 * 3.6e9],
  ['0999-12-31', -30_610_310_400_000_000],
  ['2023-02-29', undefined],
  ['2024-02-30T10:00:00Z', undefined],
  ['2024-13-01', undefined],
  ['2024-02-29T12:00.5', undefined],
  ['2024-02-29T25:00', undefined],
  ['2024-W09-4', undefined],
  ['10000-01-01', undefined],
  ['20240229', undefined],
  ['soon', undefined],
  ['', undefined],
])('%s is %d microseconds after 1970', (text, moment) => {
  expect(readMoment(text)).toBe(moment);
});
