import { expect, test } from 'vitest';
import { decimalNumber, decimalUnits } from './decimals.ts';
import { momentNumber, momentText, type MomentType } from './moments.ts';

const date: MomentType = { logical: 'date' };
const us: MomentType = { logical: 'timestamp', unit: 'us', zoned: false };
const MOST = 2n ** 63n - 1n;

test.each<readonly [string, MomentType, bigint]>([
  ['1970-01-01', date, 0n],
  ['2024-02-29', date, 19782n],
  ['1900-03-01', date, -25508n],
  ['0001-01-01', date, -719162n],
  ['0044-03-15 (BC)', date, -735160n],
  ['290000-12-31', date, 105201162n],
  ['infinity', date, 2n ** 31n - 1n],
  ['03:04:05.250000', { logical: 'time', unit: 'us' }, 11045250000n],
  ['03:04:05.000000001', { logical: 'time', unit: 'ns' }, 11045000000001n],
  ['2024-01-02T03:04:05', us, 1704164645000000n],
  ['1969-12-31T23:59:59.999999', us, -1n],
  ['-infinity', us, -MOST],
  ['2024-01-02T03:04:05.250001002', { logical: 'timestamp', unit: 'ns', zoned: false }, 1704164645250001002n],
  ['2024-01-02T03:04:05.250000+00:00', { logical: 'timestamp', unit: 'us', zoned: true }, 1704164645250000n],
  ['2024-01-02T03:04:05.250Z', { logical: 'timestamp', unit: 'ms', zoned: true }, 1704164645250n],
])('%s is read from its number in a file, and stored as it', (text, type, number) => {
  expect([momentNumber(text, type), momentText(number, type)]).toEqual([number, text]);
});

test.each<readonly [string, MomentType, bigint]>([
  ['2024-01-02', us, 1704153600000000n],
  ['2024-01-02 03:04:05.25', us, 1704164645250000n],
  ['2024-01-02T03:04:05', date, 19724n],
  ['-43-03-15T00:00:00.500000', us, -63517823999500000n],
  ['0044-03-15T(BC)T00:00:00', us, -63517824000000000n],
])('%s in a cell is stored too', (text, type, number) => {
  expect(momentNumber(text, type)).toBe(number);
});

test('a Date is stored, and other values are not', () => {
  expect(momentNumber(new Date(5), us)).toBe(5000n);
  for (const value of ['soon', '', '2024-01-02T03', '03:04', 5, null, {}])
    expect(momentNumber(value, us)).toBeUndefined();
});

test('a decimal is stored without a rounding error if it has no more digits than its type', () => {
  const type = { logical: 'decimal', precision: 15, scale: 2 } as const;
  expect([decimalUnits(1.15, type), decimalUnits(-9999999999999.99, type)]).toEqual([115n, -999999999999999n]);
  expect([decimalNumber(115n, 2), decimalNumber(-999999999999999n, 2)]).toEqual([1.15, -9999999999999.99]);
  expect([decimalUnits(1e13, type), decimalUnits('1', type), decimalUnits(NaN, type)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
