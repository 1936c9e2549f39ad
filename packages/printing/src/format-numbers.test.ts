import { expect, test } from 'vitest';
import {
  formatCost,
  formatCount,
  formatDuration,
  formatFineShare,
  formatPercent,
  formatRate,
  formatShare,
  formatTimeLeft,
  pluralize,
} from './format-numbers.ts';

test.each([
  [0.4, '0 s'],
  [59.6, '1 min 0 s'],
  [208, '3 min 28 s'],
  [3600, '1 h 0 min'],
  [8000, '2 h 13 min'],
  [200_000, '2 d 7 h'],
])('%d seconds are printed as %s', (seconds, said) => {
  expect(formatDuration(seconds)).toBe(said);
});

test.each([
  [0, '0 rows/s'],
  [1234.5, '1,235 rows/s'],
  [42.06, '42.1 rows/s'],
  [0.05, '3.0 rows/min'],
  [0.001, '3.6 rows/h'],
])('%d per second is printed as %s', (perSecond, said) => {
  expect(formatRate(perSecond, 'rows')).toBe(said);
});

test('the time left is one number, or the range that is known of it', () => {
  expect(formatTimeLeft(208)).toBe('3 min 28 s');
  expect(formatTimeLeft(208, { least: 40, most: 300 })).toBe('40 s to 5 min 0 s');
  expect(formatTimeLeft(208, { least: 40, most: null })).toBe('at least 40 s');
});

test('prints counts, costs and nouns', () => {
  expect([formatCount(1_234_567), pluralize(1, 'row'), pluralize(0, 'row')]).toEqual(['1,234,567', '1 row', '0 rows']);
  expect([0, 0.00123, 0.42, 12.3456, 1234.56].map((cost) => formatCost(cost))).toEqual([
    '0.00',
    '0.0012',
    '0.42',
    '12.35',
    '1,235',
  ]);
  expect([3.7e-7, 4.2e-11, 0.0099, 1e-18].map((cost) => formatCost(cost))).toEqual([
    '0.00000037',
    '0.000000000042',
    '0.0099',
    '0.00',
  ]);
});

test('amounts on one line have a common number of decimals', () => {
  const line = [0.0034, 0.12, 1234.5, 5, 0];
  expect(line.map((cost) => formatCost(cost, line))).toEqual(['0.0034', '0.1200', '1,234.5000', '5.0000', '0.0000']);
  expect(formatCost(120, [null, 0.5])).toBe('120.00');
});

test('a share has one decimal, and a small one three digits', () => {
  expect([formatPercent(12.345), formatShare(0.12345), formatShare(1)]).toEqual(['12.3%', '12.3%', '100.0%']);
  expect([formatFineShare(0.5), formatFineShare(1 / 3), formatFineShare(0.000123456)]).toEqual([
    '50 %',
    '33.3 %',
    '0.0123 %',
  ]);
});
