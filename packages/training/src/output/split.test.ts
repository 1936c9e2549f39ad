import { expect, test } from 'vitest';
import { partOf, splitProblem } from './split.ts';

test.each([
  [{ train: 0.9, test: 0.1 }, /^$/],
  [{ a: 1 / 3, b: 0.333, c: 0.333 }, /^$/],
  [{ train: 0.9, test: 0.2 }, /make 1\.1; they must make 1/],
  [{ train: 1, test: 0 }, /gives 'test' the share 0/],
  [{ train: NaN, test: 1 }, /gives 'train' the share NaN/],
  [{ Train: 0.5, train: 0.5 }, /'train' that differs from another by case only/],
  [{ 'a/b': 1 }, /has a part 'a\/b'/],
  [{}, /make 0/],
])('%j is a split, or the problem is named', (split, problem) => {
  expect(splitProblem(split) ?? '').toMatch(problem);
});

test('rows with the same list or the same members are in the same part', () => {
  const choose = partOf({ a: 0.5, b: 0.5 }, 'key');
  for (let number = 0; number < 50; number++) {
    const parts = [0, 1, 2].map((row) => choose({ key: [number, { of: 'x' }] }, row));
    expect(new Set(parts).size).toBe(1);
  }
  const member = partOf({ a: 0.5, b: 0.5 }, 'key.of');
  const parts = new Set(Array.from({ length: 50 }, (_, row) => member({ key: { of: 7, other: row } }, row)));
  expect(parts.size).toBe(1);
});
