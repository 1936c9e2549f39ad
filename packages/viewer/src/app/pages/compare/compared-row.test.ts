import { expect, test } from 'vitest';
import type { Cell } from '../../../api/cells.ts';
import { deltasOf } from './compared-row.tsx';

const grade = (score: number | string): Cell => ({
  as: 'struct',
  length: 1,
  members: [
    [
      'Tone',
      {
        as: 'struct',
        length: 2,
        members: [
          ['reasoning', 'It is.'],
          ['score', score],
        ],
      },
    ],
  ],
});

test.each([
  [1, 3, ['+2']],
  ['short', 'longer one', ['+5 characters']],
  ['bees', 'moon', ['same length']],
  [grade(4), grade(2), ['Tone −2']],
  // Options of scores are often numbers in text.
  [grade('4'), grade('10'), ['Tone +6']],
  [grade('good'), grade('bad'), []],
  [{ as: 'text', text: 'cut', length: 900 }, 'four', ['−896 characters']],
  [null, 3, []],
] as const)('the difference of %j and %j is %j', (left, right, deltas) => {
  expect(deltasOf(left, right)).toEqual(deltas);
});
