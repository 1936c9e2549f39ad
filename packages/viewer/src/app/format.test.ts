import { expect, test } from 'vitest';
import { formatCompact, formatFigure, formatRange } from './format.ts';

test.each([
  [0, '0', '0'],
  [0.1 + 0.2, '0.3', '0.3'],
  [-1234.5678, '-1,235', '-1,235'],
  [1234567.8, '1,235,000', '1.2M'],
  [12_345_678, '12,345,678', '12.3M'],
  [0.00012345, '0.000123', '0.000123'],
  [5e-7, '0.0000005', '5×10⁻⁷'],
  [-4e-12, '-4 × 10⁻¹²', '-4×10⁻¹²'],
  [1.23456789e15, '1.235 × 10¹⁵', '1.2×10¹⁵'],
  [1e20, '1 × 10²⁰', '1×10²⁰'],
  [NaN, 'NaN', 'NaN'],
])('%d is written as %s, and in a narrow place as %s', (figure, written, compact) => {
  expect([formatFigure(figure), formatCompact(figure)]).toEqual([written, compact]);
});

test('the ends of a range have as many digits as it takes to tell them apart', () => {
  expect(formatRange(0, 2.3333)).toEqual(['0', '2.333']);
  expect(formatRange(1.00001, 1.00002)).toEqual(['1.00001', '1.00002']);
  expect(formatRange(9007199254740000, 9007199254740003)).toEqual(['9,007,199,254,740,000', '9,007,199,254,740,003']);
  expect(formatRange(0.3, 0.1 + 0.2)).toEqual(['0.3', '0.30000000000000004']);
  expect(formatRange(2, 2)).toEqual(['2', '2']);
});
