import { expect, test } from 'vitest';
import { Float, Random } from '@data-designer/core';
import { parseDocument } from '@data-designer/config';
import { printFlow, printJson } from './print-tree.ts';
import { isSmall, nodeIn, nodesIn, replaceAt } from './tree.ts';

const tree = { a: [1, { b: 'x' }], c: null };

test('nodesIn finds every node below the root', () => {
  expect(nodesIn(tree).map(({ path }) => path.join('.'))).toEqual(['a', 'a.0', 'a.1', 'a.1.b', 'c']);
  expect(nodesIn('scalar')).toEqual([]);
  expect(nodeIn('scalar', Random.of(1, 'x').at(0))).toBeUndefined();
});

test('replaceAt replaces a member by none, one or several in a copy of the tree', () => {
  expect(replaceAt(tree, ['a', 1, 'b'], () => [])).toEqual({ a: [1, {}], c: null });
  expect(
    replaceAt(tree, ['a', 0], (name, part) => [
      [name, part],
      [name, 2],
    ]),
  ).toEqual({
    a: [1, 2, { b: 'x' }],
    c: null,
  });
  const named = replaceAt(tree, ['c'], () => [['__proto__', 1]]) as object;
  expect(Object.hasOwn(named, '__proto__')).toBe(true);
  expect(tree).toEqual({ a: [1, { b: 'x' }], c: null });
});

test('isSmall limits the members and characters of a tree', () => {
  expect(isSmall(tree, 20)).toBe(true);
  expect(isSmall(tree, 5)).toBe(false);
  expect(isSmall(['x'.repeat(100)], 50)).toBe(false);
});

const read = (text: string, json: boolean) => parseDocument(text, { path: 'the case', json });

test('a tree survives a round trip through YAML, and through JSON with values that JSON has', () => {
  const odd = {
    numbers: [0, -1, 1.5, 1e300, 1e-7, 1.5e300, NaN, Infinity, -Infinity, new Float(1), 10n ** 30n],
    texts: ['', '\n', 'yes', '1', '"', '\uD800', 'é\u2028'],
    parts: [[], {}, null, true, [[1]]],
    'odd key: ': 1,
  };
  expect(read(printFlow(odd), false)).toEqual({
    ...odd,
    numbers: odd.numbers.with(3, new Float(1e300)).with(5, new Float(1.5e300)),
  });
  expect(read(printJson({ ...odd, numbers: [1, 1.5] }), true)).toEqual({ ...odd, numbers: [1, 1.5] });
});
