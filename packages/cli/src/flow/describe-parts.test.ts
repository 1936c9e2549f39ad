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

const nearest = (train: number, tested: number) => ({
  splitBy: 'topic',
  nearestSplit: { train: { share: 0.6, examples: train }, test: { share: 0.4, examples: tested } },
});

test('shares that come nearer are offered with what they make, and others are not', () => {
  expect(unevenParts(parts(40, 0, nearest(33, 7)))[0]).toMatch(
    /Use --split train=0.6,test=0.4, which makes parts of 33 and 7 \(and a warning like this one\), or more values of 'topic'\.$/,
  );
  expect(unevenParts(parts(37, 3, nearest(33, 7)))[0]).toMatch(/ones\. Use --split train=0.6,test=0.4/);
  expect(unevenParts(parts(40, 0, nearest(24, 16)))[0]).toContain('which makes parts of 24 and 16, or more');
  expect(unevenParts(parts(40, 0, nearest(10, 30)))[0]).toContain('Use --split train=0.6,test=0.4');
  expect(unevenParts(parts(24, 16, nearest(24, 16)))[0]).toMatch(/ones\. Use more values of 'topic'\.$/);
});
