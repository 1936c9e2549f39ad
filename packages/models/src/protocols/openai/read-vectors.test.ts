import { expect, test } from 'vitest';
import { readVectors } from './read-vectors.ts';

const base64 = (...numbers: number[]) => Buffer.from(Float32Array.from(numbers).buffer).toString('base64');

test('vectors are read from numbers and from Base64, in the order of the texts', () => {
  const data = [
    { index: 1, embedding: [3, 4] },
    { index: 0, embedding: base64(0.5, -2) },
  ];
  expect(readVectors({ data }, 2, 'm')).toEqual([
    [0.5, -2],
    [3, 4],
  ]);
});

test.each([
  [{}, /contains no vectors/],
  [null, /contains no vectors/],
  [{ error: { message: 'no such model' } }, /reports an error: no such model/],
  [{ data: [{ embedding: [1] }] }, /1 vectors for 2 texts/],
  [{ data: [{ embedding: [1] }, { embedding: [] }] }, /vector 1 is none/],
  [{ data: [{ embedding: [1] }, { embedding: ['a'] }] }, /vector 1 is none/],
  [{ data: [{ embedding: 'AAA=' }, { embedding: [1] }] }, /vector 0 is none/],
  [
    {
      data: [
        { index: 1, embedding: [1] },
        { index: 1, embedding: [1] },
      ],
    },
    /vector 1 is none/,
  ],
  [{ data: [{ index: 5, embedding: [1] }, { embedding: [1] }] }, /vector 0 is none/],
])('the body %j is rejected for two texts', (body, said) => {
  expect(() => readVectors(body, 2, 'm')).toThrow(said);
});
