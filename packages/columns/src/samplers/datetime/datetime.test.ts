import { expect, test } from 'vitest';
import { readForm } from '@data-designer/config';
import { Random, type Surroundings } from '@data-designer/core';
import { datetime } from './datetime.ts';

const alone: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };

const read = (params: unknown) => datetime.schema.safeParse(readForm(datetime.schema, params));

function check(start: string, end: string) {
  return datetime.check?.(datetime.schema.parse({ start, end }), alone).map(({ stage, field }) => [stage, ...field]);
}

test('keeps bounds as written, and uses days as the default unit', () => {
  const expected = { samplerType: 'datetime', start: '2024', end: 'Jan 5 2025', unit: 'D' };
  expect(read({ start: '2024', end: 'Jan 5 2025' }).data).toEqual(expected);
});

test.each([
  [{ start: 'someday', end: '2024' }, ['start']],
  [{ start: '2024', end: '2024-13-01' }, ['end']],
  [{ start: 2024, end: '2025' }, ['start']],
  [{ start: '2024', end: '2025', unit: 'W' }, ['unit']],
])('refuses %j', (params, path) => {
  expect(read(params).error?.issues).toMatchObject([{ path }]);
});

test('the end must be later than the start', () => {
  expect(check('2024', '2025')).toEqual([]);
  expect(check('2024', '2024-01-01 00:00:01')).toEqual([]);
  expect(check('2024', '2024-01-01')).toEqual([['run', 'end']]);
  expect(check('2024-01-01', '2024-01-01 00:00:00.9')).toEqual([['run', 'end']]);
  expect(check('2025', '2024')).toEqual([['run', 'end']]);
  expect(check('2024-01-01T00:00+02:00', '2024-01-01T00:00Z')).toEqual([]);
});

test.each([
  ['05/03/2024', '2024-05-03', '2024-03-05'],
  ['5.3.24 10:00', '2024-05-03', '2024-03-05'],
  ['12-11-2024', '2024-12-11', '2024-11-12'],
  ['050324', '2024-05-03', '2024-03-05'],
])('%s may be two days: it warns how it is read', (end, first, other) => {
  const found = datetime.check?.(datetime.schema.parse({ start: '2001-02-03', end }), alone);
  expect(found).toMatchObject([
    {
      level: 'WARNING',
      field: ['end'],
      message: `'${end}' is read with the month first, as ${first}.`,
      remedy: `Write ${first}, or ${other} if the day comes first.`,
    },
  ]);
});

test.each(['2024-05-03', '05/05/2024', '31/12/2024', '12/31/2024', '20240503', '5 March 2024', '03/2024', '2024'])(
  '%s is one day',
  (end) => expect(check('2001-02-03', end)).toEqual([]),
);

test.each(['now', 'today', 'NaT', '', '10:30', '2024-01-31 10:30 EST'])(
  '%j loads, as in the Python tool, and the check reports it',
  (text) => {
    expect(check(text, '2025')).toEqual([['run', 'start']]);
    expect(check('2024', text)).toEqual([['run', 'end']]);
  },
);

const at = (text: string): number => Date.parse(`${text}Z`) / 1000;

/** Many draws from one seed, sorted. */
function drawn(params: { start: string; end: string; unit?: 'Y' | 'M' | 'D' | 'h' | 'm' | 's' }): readonly number[] {
  if (!('draw' in datetime)) throw new Error('datetime draws');
  const draw = datetime.draw(datetime.schema.parse(params), 'when');
  const random = Random.of(11, 'when');
  return Array.from({ length: 4000 }, (_, row) => draw(random.at(row), []) as number).toSorted((a, b) => a - b);
}

test('draws every whole second of the range except the end', () => {
  const values = drawn({ start: '2024-05-01T00:00:10.9', end: '2024-05-01T00:00:20.9', unit: 's' });
  const first = at('2024-05-01T00:00:10');
  expect([...new Set(values)]).toEqual(Array.from({ length: 10 }, (_, second) => first + second));
});

test.each([
  ['Y', ['2022-01-01', '2023-01-01', '2024-01-01']],
  ['M', ['2023-11-01', '2023-12-01', '2024-01-01']],
  ['D', ['2023-12-30', '2023-12-31', '2024-01-01']],
  ['h', ['2023-12-31T22:00', '2023-12-31T23:00', '2024-01-01T00:00']],
  ['m', ['2023-12-31T23:58', '2023-12-31T23:59', '2024-01-01T00:00']],
] as const)('truncates to unit %s, even below the start', (unit, expected) => {
  const [first, , last] = expected;
  const start = new Date((at(withTime(first)) + 1) * 1000).toISOString();
  const values = drawn({ start, end: new Date((at(withTime(last)) + 2) * 1000).toISOString(), unit });
  const seen = new Set(values);
  for (const text of expected.slice(0, 2)) expect(seen).toContain(at(withTime(text)));
  expect(expected.map((text) => at(withTime(text)))).toEqual(expect.arrayContaining([...seen]));
});

function withTime(text: string): string {
  return text.includes('T') ? `${text}:00` : `${text}T00:00:00`;
}

test('truncates times before 1970 downwards too', () => {
  const days = new Set(drawn({ start: '1903-02-27T12:00', end: '1903-03-02T12:00' }));
  const expected = ['1903-02-27', '1903-02-28', '1903-03-01', '1903-03-02'];
  expect([...days]).toEqual(expected.map((day) => at(withTime(day))));
  expect([...new Set(drawn({ start: '1899-12-31', end: '1900-01-02', unit: 'Y' }))]).toEqual(
    ['1899-01-01', '1900-01-01'].map((day) => at(withTime(day))),
  );
});

test('converts bounds with a time zone to UTC', () => {
  const values = drawn({ start: '2024-01-01T00:00+02:00', end: '2024-01-01T00:00:01+02:00', unit: 's' });
  expect(new Set(values)).toEqual(new Set([at('2023-12-31T22:00:00')]));
});
