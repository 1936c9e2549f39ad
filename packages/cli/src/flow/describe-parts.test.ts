import { expect, test } from 'vitest';
import { describeParts, type ExportedParts, unevenParts } from './describe-parts.ts';

const file = (split: string, examples: number) => ({ path: `${split}.jsonl`, split, examples });

function parts(train: number, tested: number, change: Partial<ExportedParts> = {}): ExportedParts {
  return {
    files: [file('train', train), file('test', tested)],
    examples: train + tested,
    prompts: train + tested,
    sharedPrompts: 0,
    split: { train: 0.8, test: 0.2 },
    splitBy: undefined,
    noun: 'examples',
    ...change,
  };
}

test('every part has its examples and its share', () => {
  expect(describeParts(parts(9, 7))).toBe('train: 9 of 16 examples (56.3 %), test: 7 (43.8 %)');
});

test('a part that is much larger or smaller than its share is told of, also without equal prompts', () => {
  expect(unevenParts(parts(9, 7))).toEqual([
    "the part 'test' has 43.8 % of the examples instead of 20 %: a hash of its prompt chooses the part of each row, which matches the shares only for many different ones. Use more rows.",
  ]);
  expect(unevenParts(parts(9, 7, { splitBy: 'topic' }))[0]).toContain("a hash of its 'topic' chooses");
  expect(unevenParts(parts(9, 7, { prompts: 3 }))[0]).toContain('equal prompts are in one part');
  expect(unevenParts(parts(12, 4))).toEqual([]);
});
