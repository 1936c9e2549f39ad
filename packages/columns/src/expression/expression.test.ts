import { expect, test } from 'vitest';
import { type Cell, Float, type Row, type TemplateEngine } from '@data-designer/core';
import { readForm, writeForm } from '@data-designer/config';
import { cast, type Dtype } from './cast.ts';
import { expression } from './expression.ts';

function column(expr: string, dtype: Dtype = 'str') {
  return expression.schema.parse({ name: 'x', columnType: 'expression', expr, dtype });
}

type Made = Extract<typeof expression, { cell: unknown }>;

function evaluate(expr: string, row: Row, templates: TemplateEngine = 'secure'): unknown {
  const make = (expression as Made).cell(column(expr), { templates, constraints: [] });
  return make({ row } as Cell);
}

function skipping(dtype: Dtype, value: unknown) {
  const skip = { when: '{{ a }}', value };
  return { name: 'x', column_type: 'expression', expr: '1', dtype, skip };
}

test('renders its template with the values of the row', () => {
  expect(evaluate('{{ first }} {{ last }}', { first: 'Ada', last: 'Byron' })).toEqual(['Ada Byron']);
});

test('declares its template, and reads nothing else', () => {
  expect(expression.templates?.(column('{{ a }}-{{ b }}'))).toEqual([
    { source: '{{ a }}-{{ b }}', field: ['expr'], role: 'expression' },
  ]);
  expect(expression.reads).toBeUndefined();
});

test('renders with the template engine of the run', () => {
  const template = "{{ parts | join('-') }}";
  expect(evaluate(template, { parts: ['a', 'b'] }, 'native')).toEqual(['a-b']);
  expect(() => evaluate(template, { parts: ['a', 'b'] })).toThrow(
    expect.objectContaining({ code: 'template/unsupported-filter' }),
  );
});

test.each([
  ['str', 'utf8'],
  ['int', 'int64'],
  ['float', 'float64'],
  ['bool', 'bool'],
] as const)('dtype %s is stored as %s', (dtype, type) => {
  expect(expression.writes(column('1', dtype))).toEqual([{ name: 'x', type, nullable: true }]);
});

test.each<[string, Dtype, unknown]>([
  [' kept ', 'str', ' kept '],
  ['1.9', 'int', 1],
  ['-1.9', 'int', -1],
  ['-0.5', 'int', 0],
  ['1e3', 'int', 1000],
  ['1_000', 'int', 1000],
  ['  42\n', 'int', 42],
  ['1e18', 'int', 10n ** 18n],
  ['9007199254740993', 'int', 9007199254740993n],
  ['-9_007_199_254_740_993', 'int', -9007199254740993n],
  ['+9223372036854775807', 'int', 9223372036854775807n],
  ['2', 'float', 2],
  ['.5', 'float', 0.5],
  ['1.', 'float', 1],
  ['inf', 'float', Infinity],
  ['-Infinity', 'float', -Infinity],
  ['nan', 'float', NaN],
  ['true', 'bool', true],
  ['TRUE', 'bool', true],
  ['yes', 'bool', false],
  ['0', 'bool', false],
  ['0.9', 'bool', false],
  ['2', 'bool', true],
  ['nan', 'bool', false],
])('%j cast to %s is %o', (text, dtype, value) => {
  expect(cast(text, dtype)).toEqual(value);
});

test.each<[string, Dtype]>([
  ['twelve', 'int'],
  ['inf', 'int'],
  ['nan', 'int'],
  ['1e19', 'int'],
  ['0x10', 'float'],
  ['1__0', 'float'],
  ['1,5', 'float'],
  ['inf', 'bool'],
])('%j cannot be cast to %s', (text, dtype) => {
  expect(() => cast(text, dtype)).toThrow(expect.objectContaining({ code: 'template/record' }));
});

test('a blank result throws an error that names the empty columns', () => {
  expect(() => evaluate(' {{ a }} ', { a: '', b: 'x' })).toThrow(
    expect.objectContaining({ code: 'template/empty-render', data: { template: ' {{ a }} ', culprits: ['a'] } }),
  );
});

test('the schema refuses a blank expression', () => {
  expect(expression.schema.safeParse({ name: 'x', columnType: 'expression', expr: ' \n' }).success).toBe(false);
});

function skipValue(dtype: Dtype, value: unknown) {
  return expression.schema.parse(readForm(expression.schema, skipping(dtype, value))).skip?.value;
}

test.each<[Dtype, unknown, unknown]>([
  ['int', '5', 5],
  ['float', 5, new Float(5)],
  ['bool', 'false', true],
  ['str', true, 'True'],
  ['int', 5.7, 5],
  ['int', null, null],
  ['str', null, null],
])('loading casts the skip value to the column type: %s from %o is %o', (dtype, value, read) => {
  expect(skipValue(dtype, value)).toStrictEqual(read);
});

test('a column without a skip rule loads with skip null', () => {
  expect(column('1', 'int').skip).toBeNull();
});

test('a written config loads as the same config', () => {
  const { schema } = expression;
  for (const [dtype, value] of [
    ['float', 5],
    ['str', true],
    ['bool', ''],
    ['int', '7'],
  ] as const) {
    const once = schema.parse(readForm(schema, skipping(dtype, value)));
    expect(schema.parse(readForm(schema, writeForm(schema, once)))).toEqual(once);
  }
});

test('a skip value that cannot be cast is reported on the column', () => {
  const { error } = expression.schema.safeParse(readForm(expression.schema, skipping('int', 'abc')));
  expect(error?.issues).toMatchObject([
    { path: [], message: 'skip.value "abc" cannot be converted to int; change it, or dtype' },
  ]);
});

test('an invalid skip rule is reported instead of the cast', () => {
  const { error } = expression.schema.safeParse(readForm(expression.schema, skipping('int', [])));
  expect(error?.issues.map(({ path }) => path)).toEqual([['skip', 'value']]);
});

function findingsOf(value: bigint) {
  const config = expression.schema.parse(readForm(expression.schema, skipping('int', value)));
  return expression.check?.(config, { templates: 'secure', constraints: [], columns: new Map(), has: () => true });
}

test('a skip value beyond 64 bits loads, and the check reports it', () => {
  expect(findingsOf(2n ** 63n - 1n)).toEqual([]);
  expect(findingsOf(-(2n ** 63n))).toEqual([]);
  expect(findingsOf(2n ** 63n)).toMatchObject([{ stage: 'run', level: 'ERROR', field: ['skip', 'value'] }]);
});
