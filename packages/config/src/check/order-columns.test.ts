import { expect, test } from 'vitest';
import { orderColumns } from './order-columns.ts';

const column = (name: string, ...needs: string[]) => ({ name, needs });
const names = (columns: readonly { name: string }[]) => columns.map(({ name }) => name);

test('columns follow the columns they need, otherwise the order of declaration', () => {
  const sorted = orderColumns([column('d', 'b', 'c'), column('b', 'a'), column('a'), column('c'), column('e')]);
  expect('order' in sorted && names(sorted.order)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('a cycle is reported as its path, without the columns that only lead to it', () => {
  const sorted = orderColumns([column('x', 'a'), column('a', 'b'), column('b', 'c'), column('c', 'a'), column('free')]);
  expect(sorted).toEqual({ circle: ['a', 'b', 'c', 'a'] });
});

test.each([
  ['a chain', (at: number) => (at === 0 ? [] : [at - 1])],
  ['a chain declared backwards', (at: number, count: number) => (at === count - 1 ? [] : [at + 1])],
  ['a star', (at: number) => (at === 0 ? [] : [0])],
  ['independent columns', () => []],
  ['a cycle', (at: number, count: number) => [(at + 1) % count]],
])('the reads of needs are proportional to the number of columns: %s', (_, needsOf) => {
  /** How often the needs of `count` columns are read. */
  const readsOf = (count: number): number => {
    let reads = 0;
    const columns = Array.from({ length: count }, (__, at) => ({
      name: `c${at}`,
      get needs() {
        reads++;
        return needsOf(at, count).map((need) => `c${need}`);
      },
    }));
    orderColumns(columns);
    return reads;
  };
  expect(readsOf(400)).toBe(2 * readsOf(200));
});
