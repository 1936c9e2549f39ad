import { expect, test } from 'vitest';
import { z } from 'zod';
import { readForm } from '@data-designer/config';
import { type ColumnConfig, type GroupColumns, Random, type RowRange, type Surroundings } from '@data-designer/core';
import { defineSampler, samplersByName } from '../define-sampler.ts';
import { compileFieldCheck } from '../plugin/compile-field-check.ts';
import { guardedSampler } from '../plugin/guarded-sampler.ts';
import { samplers } from '../samplers.ts';
import type { SampledColumn } from '../samplers/sampled-column.ts';
import { samplerColumn } from './sampler-column.ts';

/** A sampler that a plug-in adds. */
const dice = defineSampler({
  type: 'dice',
  schema: z.strictObject({ samplerType: z.literal('dice').default('dice'), count: z.int().min(1) }),
  statistics: 'numerical',
  example: { count: 3 },
  arrow: () => 'int64',
  converts: 'number',
  draw:
    ({ count }) =>
    (random) =>
      Array.from({ length: count }, () => 1 + random.below(6)).reduce((sum, points) => sum + points),
});

const all = [...samplers, guardedSampler(dice)] as const;
const samplerOf = samplersByName(all);
const names = all.map(({ type }) => type);
const { schema, check, collections, writes, reads, distribution, choices, ...making } = samplerColumn(all);

const ROWS = 40;
const DAY = 86_400;
const COLORS = Array.from({ length: ROWS }, (_, row) => (row % 3 === 0 ? 'red' : 'green'));
const DAYS = Float64Array.from({ length: ROWS }, (_, row) => row * DAY);

/** The columns that examples can read; their collections have no rows. */
const COLUMNS: GroupColumns = {
  written: new Map([['color', COLORS]]),
  times: new Map([['day', DAYS]]),
  floats: new Set(),
  tables: new Map(),
};

function parse(name: string, samplerType: string, params: unknown) {
  return schema.safeParse(readForm(schema, { name, columnType: 'sampler', samplerType, params }));
}

function exampleOf(name: string): SampledColumn & ColumnConfig {
  const { example } = samplerOf(name);
  if (!example) throw new Error(`the sampler '${name}' has no example`);
  return parse('drawn', name, example).data as unknown as SampledColumn & ColumnConfig;
}

const color = parse('color', 'category', { values: ['red', 'green'] }).data as unknown as ColumnConfig;
const day = parse('day', 'datetime', { start: '1970-01-01', end: '1971-01-01' }).data as unknown as ColumnConfig;
const dataset: Surroundings = {
  templates: 'secure',
  constraints: [],
  columns: new Map([color, day].map((column) => [column.name, column])),
  has: (column) => ['color', 'day'].includes(column),
};

function fill(config: SampledColumn & ColumnConfig, range: RowRange, seed = 3) {
  if (!('fill' in making)) throw new Error('sampler columns are filled by range');
  const from = range.firstRow;
  const to = from + range.rows;
  return making.fill(config as never, dataset)(range, Random.of(seed, 'drawn'), {
    ...COLUMNS,
    written: new Map([['color', COLORS.slice(from, to)]]),
    times: new Map([['day', DAYS.slice(from, to)]]),
  });
}

test.each(names)('%s: its schema and its check accept its example', (name) => {
  const config = exampleOf(name);
  expect(config).toMatchObject({ samplerType: name, params: { samplerType: name } });
  expect(check?.(config as never, dataset)).toEqual([]);
  expect(['numerical', 'categorical', 'text', 'other']).toContain(distribution?.(config as never));
  for (const reference of reads?.(config as never) ?? []) expect(dataset.has(reference.name)).toBe(true);
});

test.each(names)('%s: every value fits the Arrow type that it declares', (name) => {
  const config = exampleOf(name);
  const { written, unfilled } = fill(config, { firstRow: 0, rows: ROWS });
  const misfit = compileFieldCheck(writes(config as never)[0]!);
  expect(unfilled ?? []).toEqual([]);
  expect(written[0]).toHaveLength(ROWS);
  for (const value of written[0]!) expect(misfit(value)).toBeUndefined();
});

test.each(names)('%s: a row has the same value in every range, and a different one with another seed', (name) => {
  const config = exampleOf(name);
  const whole = Array.from(fill(config, { firstRow: 0, rows: ROWS }).written[0]!);
  const part = Array.from(fill(config, { firstRow: 25, rows: 15 }).written[0]!);
  expect(part).toEqual(whole.slice(25));
  // With an empty collection, every row has the same person.
  if (collections?.(config as never).length) return;
  expect(Array.from(fill(config, { firstRow: 0, rows: ROWS }, 4).written[0]!)).not.toEqual(whole);
});

test.each(names)('%s: it draws no more different values than it declares', (name) => {
  const config = exampleOf(name);
  const count = choices?.(config as never, () => new Set(DAYS).size) ?? Infinity;
  expect(new Set(Array.from(fill(config, { firstRow: 0, rows: ROWS }).written[0]!)).size).toBeLessThanOrEqual(count);
});

/** Values that are invalid for at least one parameter. */
const WRONG = [
  undefined,
  -5,
  Infinity,
  2.5,
  1e300,
  '',
  'no such name',
  [],
  {},
  true,
  [NaN],
  [-1, 2],
  { red: [] },
  1e12,
];

test.each(names)('%s: the schema rejects bad params, and the check, if any, reports others', (name) => {
  const { example = {}, check: checkParams, schema: params } = samplerOf(name);
  const changed = Object.keys(params.shape).flatMap((key) => WRONG.map((value) => ({ ...example, [key]: value })));
  const parsed = changed.map((some) => parse('drawn', name, some));
  expect(parsed.some(({ success }) => !success)).toBe(true);
  expect(parse('drawn', name, { ...example, noSuchParameter: 1 }).success).toBe(false);
  if (!checkParams) return;
  const found = parsed.flatMap(({ data }) => (data ? (check?.(data as never, dataset) ?? []) : []));
  expect(found.map(({ field }) => field[0])).toContain('params');
});
