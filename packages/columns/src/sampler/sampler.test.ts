import { expect, test } from 'vitest';
import { readForm } from '@data-designer/config';
import { type ColumnData, type Constraint, Float, type GroupColumns, Random, type RowRange } from '@data-designer/core';
import { sampler } from './sampler.ts';

type Fill = Extract<typeof sampler, { fill: unknown }>['fill'];

function column(samplerType: string, params: unknown, more: object = {}) {
  const declared = { name: 'kind', columnType: 'sampler', samplerType, params, ...more };
  return sampler.schema.parse(readForm(sampler.schema, declared));
}

/** The columns of a range before any is filled, or with some already filled. */
function after(written: Readonly<Record<string, ColumnData>> = {}, more: Partial<GroupColumns> = {}): GroupColumns {
  const columns = {
    written: new Map(Object.entries(written)),
    floats: new Set<string>(),
    times: new Map(),
    tables: new Map(),
  };
  return { ...columns, ...more };
}

interface Made {
  readonly columns?: GroupColumns;
  readonly constraints?: readonly Constraint[];
}

function fill(config: ReturnType<typeof column>, range: RowRange, { columns = after(), constraints = [] }: Made = {}) {
  const make = (sampler as { fill: Fill }).fill(config, { templates: 'secure', constraints });
  return make(range, Random.of(3, 'kind'), columns);
}

const drawn = (...given: Parameters<typeof fill>): readonly unknown[] => Array.from(fill(...given).written[0] ?? []);

test('a row gets the same value in every range', () => {
  const config = column('category', { values: ['a', 'b', 'c'] });
  const whole = drawn(config, { firstRow: 0, rows: 40 });
  const tail = drawn(config, { firstRow: 25, rows: 15 });
  expect(tail).toEqual(whole.slice(25));
});

test('a sampler that reads another column gets the value of the same row', () => {
  const config = column('subcategory', { category: 'size', values: { big: [100], small: [1] } });
  expect(sampler.reads?.(config)).toEqual([{ name: 'size', field: ['params', 'category'] }]);
  const columns = after({ size: ['big', 'small', 'small', 'big'] });
  const filled = drawn(config, { firstRow: 10, rows: 4 }, { columns });
  expect(filled).toEqual([100, 1, 1, 100]);
});

test('a sampler that reads nothing has no references', () => {
  expect(sampler.reads?.(column('category', { values: ['a'] }))).toEqual([]);
});

const lists = (category: string) => ({ category, values: { a: ['b'] } });

test('reads the references of conditional params, and declares the condition as a template', () => {
  const config = column('subcategory', lists('p'), { conditional_params: { "q == 'x'": lists('r') } });
  expect(sampler.reads?.(config)).toEqual([
    { name: 'p', field: ['params', 'category'] },
    { name: 'r', field: ['conditionalParams', "q == 'x'", 'category'] },
  ]);
  expect(sampler.templates?.(config)).toEqual([
    { source: "q == 'x'", field: ['conditionalParams', "q == 'x'"], role: 'condition' },
  ]);
});

const ROWS = { firstRow: 0, rows: 2000 };

test('the last matching condition wins, and rows without a match use the default params', () => {
  const config = column(
    'uniform',
    { low: 0, high: 1 },
    { conditional_params: { "k == 'a'": { low: 10, high: 11 }, "k in ['a', 'b'] and w > 1": { low: 20, high: 21 } } },
  );
  const columns = after({ k: ['a', 'b', 'c', 'a'], w: [0, 5, 5, 5] });
  const floors = drawn(config, { firstRow: 0, rows: 4 }, { columns }).map((value) => Math.floor(value as number));
  expect(floors).toEqual([10, 20, 0, 20]);
});

test('conditions see floats as floats and times as ISO 8601 text', () => {
  const config = column(
    'category',
    { values: ['no'] },
    {
      conditional_params: {
        "f ~ '' == '2.0'": { values: ['float'] },
        "t == '1970-01-02T00:00:00'": { values: ['time'] },
      },
    },
  );
  const columns = after(
    { f: [2, 3, 3], t: ['02 Jan', '02 Jan', '03 Jan'] },
    { floats: new Set(['f']), times: new Map([['t', Float64Array.of(0, 86_400, 172_800)]]) },
  );
  expect(drawn(config, { firstRow: 0, rows: 3 }, { columns })).toEqual(['float', 'time', 'no']);
});

test('a condition that fails on a row drops that row', () => {
  const config = column('category', { values: [1] }, { conditional_params: { 'k.size > 1': { values: [2] } } });
  const columns = after({ k: [{ size: 3 }, 'text'] });
  const { written, unfilled } = fill(config, { firstRow: 7, rows: 2 }, { columns });
  expect(written[0]?.[0]).toBe(2);
  expect(unfilled).toMatchObject([{ positions: [1], failure: { code: 'template/empty-render' } }]);
});

const hundredths = (value: unknown): boolean => Math.abs(Number(value) * 100 - Math.round(Number(value) * 100)) < 1e-9;

test.each<[string, { params: unknown; convert_to?: string }, (value: unknown) => boolean]>([
  ['gaussian', { params: { mean: 0, stddev: 9 }, convert_to: 'int' }, Number.isInteger],
  ['poisson', { params: { mean: 4 }, convert_to: 'float' }, Number.isInteger],
  ['poisson', { params: { mean: 4 }, convert_to: 'str' }, (value) => typeof value === 'string' && /^\d+$/.test(value)],
  ['uniform', { params: { low: 0, high: 1, decimal_places: 2 } }, hundredths],
  ['uniform', { params: { low: 0, high: 900, decimal_places: -2 } }, (value) => Number(value) % 100 === 0],
  ['uniform', { params: { low: 0, high: 1, decimal_places: -309 } }, (value) => Number(value) < 1],
  ['category', { params: { values: ['1', '2.50'] }, convert_to: 'float' }, (value) => value === 1 || value === 2.5],
  ['category', { params: { values: [1.5, 2] }, convert_to: 'str' }, (value) => value === '1.5' || value === '2.0'],
])('%s with %j draws only values of the expected form', (type, { params, ...more }, fits) => {
  expect(drawn(column(type, params, more), ROWS).filter((value) => !fits(value))).toEqual([]);
});

test('params with values of several types share one column type', () => {
  const mixed = column(
    'category',
    { values: [1] },
    { conditional_params: { "k == 'a'": { values: ['x'] }, "k == 'b'": { values: [2.5, 3] } } },
  );
  const columns = after({ k: ['a', 'b', 'c'] });
  const [first, second, third] = drawn(mixed, { firstRow: 0, rows: 3 }, { columns });
  expect([first, third]).toEqual(['x', '1']);
  expect(['2.5', '3.0']).toContain(second);
});

const scalar = (operator: Constraint['operator'], rhs: number): Constraint => ({ targetColumn: 'kind', operator, rhs });

/** The parameters, conversion and constraints of a sampler. */
interface Held {
  readonly params: unknown;
  readonly convert_to?: string;
  readonly held: readonly Constraint[];
}

const NORMAL = { mean: 0, stddev: 1 };

test.each<[string, Held, (value: number) => boolean]>([
  ['gaussian', { params: NORMAL, held: [scalar('gt', -1), scalar('le', 0.5)] }, (value) => value > -1 && value <= 0.5],
  ['gaussian', { params: NORMAL, held: [scalar('ge', 6)] }, (value) => value >= 6],
  ['gaussian', { params: { ...NORMAL, decimal_places: 1 }, held: [scalar('lt', -5)] }, (value) => value < -5],
  ['gaussian', { params: NORMAL, convert_to: 'int', held: [scalar('gt', 5)] }, (value) => value === 6 || value === 7],
  ['poisson', { params: { mean: 1 }, held: [scalar('gt', 9)] }, (value) => value > 9],
  ['poisson', { params: { mean: 40 }, held: [scalar('lt', 12)] }, (value) => value < 12],
  ['uniform', { params: { low: 0, high: 1e6 }, held: [scalar('lt', 1)] }, (value) => value < 1],
  ['uniform', { params: { low: 0, high: 10, decimal_places: 1 }, held: [scalar('lt', 10)] }, (value) => value < 10],
  [
    'category',
    { params: { values: [1, 2, 3], weights: [1000, 1, 1] }, held: [scalar('ge', 2)] },
    (value) => value >= 2,
  ],
])('%s with %j satisfies its constraints in every row, however rare', (type, { params, held, ...more }, keeps) => {
  const { written, unfilled } = fill(column(type, params, more), { firstRow: 0, rows: 300 }, { constraints: held });
  expect(unfilled).toEqual([]);
  expect(Array.from(written[0] as ArrayLike<number>).filter((value) => !keeps(value))).toEqual([]);
});

test('a truncated distribution keeps its shape', () => {
  const constraints = [scalar('ge', 0), scalar('le', 0.001)];
  const values = drawn(column('uniform', { low: 0, high: 1 }), ROWS, { constraints }) as number[];
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  // 5.5 standard errors of the mean of 2,000 uniform draws
  expect(Math.abs(mean - 0.0005)).toBeLessThan((5.5 * 0.001) / Math.sqrt(12 * 2000));
});

test('a row that cannot satisfy its constraint is dropped; the error names rows, constraint and nearest value', () => {
  const constraints: Constraint[] = [{ targetColumn: 'kind', operator: 'ge', rhs: 'low' }];
  const columns = after({ low: Float64Array.of(3, 12.5, 4, 11) });
  const { unfilled } = fill(
    column('uniform', { low: 0, high: 10 }),
    { firstRow: 100, rows: 4 },
    { columns, constraints },
  );
  expect(unfilled).toMatchObject([{ positions: [1, 3] }]);
  expect(unfilled?.[0]?.failure.message).toBe(
    "Column 'kind': no drawn value satisfies kind >= low (which is 12.5) in rows 101, 103. The nearest value is 9.999999999999998. Change the constraint or the parameters.",
  );
});

test('constraints compare times by value, not by text', () => {
  const params = { start: '2024-01-01', end: '2024-03-01' };
  const constraints: Constraint[] = [{ targetColumn: 'kind', operator: 'gt', rhs: 'other' }];
  const other = Date.UTC(2024, 1, 10) / 1000;
  const columns = after(
    { other: Array(50).fill('10 Feb') },
    { times: new Map([['other', new Float64Array(50).fill(other)]]) },
  );
  const filled = fill(
    column('datetime', params, { convert_to: '%d %b' }),
    { firstRow: 0, rows: 50 },
    { columns, constraints },
  );
  expect(filled.unfilled).toEqual([]);
  expect([...(filled.times ?? [])].every((time) => time > other)).toBe(true);
  expect(filled.written[0]?.[0]).toMatch(/^\d\d Feb$/);
});

test('the error prints the nearest time as a time', () => {
  const constraints: Constraint[] = [{ targetColumn: 'kind', operator: 'lt', rhs: 'other' }];
  const columns = after(
    { other: ['2023-01-15T00:00:00'] },
    { times: new Map([['other', Float64Array.of(1_673_740_800)]]) },
  );
  const config = column('datetime', { start: '2024-01-01', end: '2024-03-01' });
  const { unfilled } = fill(config, { firstRow: 0, rows: 1 }, { columns, constraints });
  expect(unfilled?.[0]?.failure.message).toContain('The nearest value is 2024-01-0');
});

test('accepts bounds beyond 2^53, which reach a thread as Float objects', () => {
  const config = column('uniform', { low: 0, high: 1 });
  const boxed = { ...config, params: { ...config.params, high: new Float(1e19) } } as unknown as typeof config;
  expect(drawn(boxed, ROWS).every((value) => (value as number) < 1e19)).toBe(true);
});
