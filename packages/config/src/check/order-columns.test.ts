import { expect, test } from 'vitest';
import { orderColumns } from './order-columns.ts';

const column = (name: string, ...needs: string[]) => ({ name, needs });
const names = (columns: readonly { name: string }[]) => columns.map(({ name }) => name);

test('columns come after what they need, and otherwise in the order of declaration', () => {
  const sorted = orderColumns([column('d', 'b', 'c'), column('b', 'a'), column('a'), column('c'), column('e')]);
  expect('order' in sorted && names(sorted.order)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('a circle is named along its path, without the columns that only lead to it', () => {
  const sorted = orderColumns([column('x', 'a'), column('a', 'b'), column('b', 'c'), column('c', 'a'), column('free')]);
  expect(sorted).toEqual({ circle: ['a', 'b', 'c', 'a'] });
});
