import { type Cell, type Row } from '@data-designer/core';
import { expect, test } from 'vitest';
import { cast, type Dtype } from './cast.ts';
import { expression } from './expression.ts';

function column(expr: string, dtype: Dtype = 'str') {
  return expression.schema.parse({ name: 'x', columnType: 'expression', expr, dtype });
}

function evaluate(expr: string, row: Row, dtype?: Dtype): unknown {
  const make = (expression as { cell: (config: unknown) => (cell: Cell) => unknown }).cell(column(expr, dtype));
  return make({ row } as Cell);
}

test('renders its template over the row', () => {
  expect(evaluate('{{ first }} {{ last }}', { first: 'Ada', last: 'Byron' })).toEqual(['Ada Byron']);
});

test('reads what its template names', () => {
  expect(expression.reads(column('{{ a }}-{{ b }}') as never)).toEqual([
    { name: 'a', field: 'expr' },
    { name: 'b', field: 'expr' },
  ]);
});

test.each([
  ['str', 'utf8'],
  ['int', 'int64'],
  ['float', 'float64'],
  ['bool', 'bool'],
] as const)('dtype %s is stored as %s', (dtype, type) => {
  expect(expression.writes(column('1', dtype) as never)).toEqual([{ name: 'x', type, nullable: true }]);
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
])('%j as %s is %o', (text, dtype, value) => {
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

test('a blank result loses the row and names the columns that have nothing', () => {
  expect(() => evaluate(' {{ a }} ', { a: '', b: 'x' })).toThrow(
    expect.objectContaining({ code: 'template/empty-render', data: { template: ' {{ a }} ', culprits: ['a'] } }),
  );
});

test('a blank expression is refused when it is declared', () => {
  expect(expression.schema.safeParse({ name: 'x', columnType: 'expression', expr: ' \n' }).success).toBe(false);
});
