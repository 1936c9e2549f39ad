import { expect, test } from 'vitest';
import { addUsage, noUsage, pricedUsage } from '@data-designer/models';
import { costForecast } from './cost-forecast.ts';

const PRICING = { input: 1, output: 0, cachedInput: null, image: null };

/** Usage of columns that have read this many million tokens at a price of one each. */
function spent(columns: Readonly<Record<string, number>>) {
  const usage = noUsage();
  for (const [column, millions] of Object.entries(columns)) {
    const first = { ...noUsage(), requests: 1, inputTokens: millions * 1e6 };
    addUsage(usage, { ...first, columns: { [column]: { first } } });
  }
  return pricedUsage({ writer: usage }, { writer: { pricing: PRICING } });
}

const rows = { wanted: 100, settled: 10 };

test('the forecast prices the remaining cells of a column like its finished ones', () => {
  const usage = spent({ fact: 20, quiz: 10 });
  const cells = new Map([
    ['fact', 10],
    ['quiz', 10],
  ]);
  expect(costForecast({ soFar: 30, usage, cells, rows })).toBeCloseTo(300);
});

test('half-made rows do not inflate the forecast', () => {
  const usage = spent({ fact: 100, quiz: 10 });
  const cells = new Map([
    ['fact', 50],
    ['quiz', 10],
  ]);
  expect(costForecast({ soFar: 110, usage, cells, rows })).toBeCloseTo(300);
});

test('at the end the forecast equals the cost, even with lost rows', () => {
  const usage = spent({ fact: 33, quiz: 5 });
  const cells = new Map([
    ['fact', 100],
    ['quiz', 60],
  ]);
  expect(costForecast({ soFar: 38, usage, cells, rows: { wanted: 100, settled: 100 } })).toBe(38);
});

test('the forecast counts requests before the first row once', () => {
  const usage = spent({ fact: 10, probes: 1 });
  expect(costForecast({ soFar: 11, usage, cells: new Map([['fact', 10]]), rows })).toBeCloseTo(101);
});

test.each([
  ['no price is known', { soFar: null, cells: new Map([['fact', 10]]), rows }],
  ['nothing is done', { soFar: 3, cells: new Map([['fact', 0]]), rows: { wanted: 100, settled: 0 } }],
  [
    'a column that costs has no finished cell',
    {
      soFar: 3,
      cells: new Map([
        ['fact', 0],
        ['local', 5],
      ]),
      rows: { wanted: 100, settled: 0 },
    },
  ],
])('there is no forecast while %s', (_, parts) => {
  expect(costForecast({ ...parts, usage: spent({ fact: 3 }) })).toBeNull();
});
