import { expect, test } from 'vitest';
import type { TrainingMessage } from '../training-format.ts';
import { promptHash, splitProblem, Splitter } from './split.ts';

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

const HALVES = { a: 0.5, b: 0.5 };

test('rows with the same list or the same members are in the same part', () => {
  const splitter = new Splitter(HALVES, 'key');
  for (let number = 0; number < 50; number++) {
    const parts = [0, 1, 2].map((prompt) => splitter.partOf({ key: [number, { of: 'x' }] }, [prompt]));
    expect(new Set(parts).size).toBe(1);
  }
  const member = new Splitter(HALVES, 'key.of');
  const parts = new Set(Array.from({ length: 50 }, (_, other) => member.partOf({ key: { of: 7, other } }, [other])));
  expect(parts.size).toBe(1);
});

const said = (role: TrainingMessage['role'], content: string): TrainingMessage => ({ role, content });
const hashOf = (...messages: readonly TrainingMessage[]): number => promptHash({ messages, tools: [] });

test('without a column the first prompt of a row chooses its part, about by the shares', () => {
  const splitter = new Splitter({ a: 0.25, b: 0.75 }, undefined);
  const hashes = Array.from({ length: 1000 }, (_, row) => hashOf(said('user', `${row}?`), said('assistant', 'Yes.')));
  const parts = hashes.map((hash) => splitter.partOf({}, [undefined, hash, 5]));
  expect(hashes.map((hash) => splitter.partOf({ other: 1 }, [hash]))).toEqual(parts);
  const first = parts.filter((part) => part === 'a').length;
  expect(first).toBeGreaterThan(200);
  expect(first).toBeLessThan(300);
});

test('a prompt is what a model reads before its first answer to the user', () => {
  const [system, question, answer] = [said('system', 'Be brief.'), said('user', 'Why?'), said('assistant', 'So.')];
  const prompt = hashOf(system, question, answer);
  expect(hashOf(system, question, said('assistant', 'No.'), question, answer)).toBe(prompt);
  expect(hashOf(question, answer)).not.toBe(prompt);
  expect(hashOf(answer, question, answer)).not.toBe(hashOf(said('assistant', 'Hello.'), question, answer));
  const rejected = [said('assistant', 'No.')];
  expect(promptHash({ prompt: [system, question], chosen: [answer], rejected, tools: [] })).toBe(prompt);
});

test('prompts are counted, and so are those in more than one part', () => {
  const splitter = new Splitter(HALVES, 'key');
  for (let prompt = 0; prompt < 5000; prompt++) splitter.note(prompt * 2147483659, 'a');
  for (let prompt = 0; prompt < 6000; prompt++) splitter.note(prompt * 2147483659, prompt % 10 === 0 ? 'b' : 'a');
  splitter.note(0, 'a');
  expect(splitter.counts).toEqual({ prompts: 6000, sharedPrompts: 500 });
});

/** The shares and the examples of the parts nearest to 0.8 and 0.2, for rows at places of the range. */
const nearest = (...found: readonly number[]) => {
  const splitter = new Splitter({ train: 0.8, test: 0.2 }, undefined);
  for (const [index, place] of found.entries()) splitter.note(index, splitter.partOf({}, [place * 2 ** 53]));
  const { nearestSplit } = splitter.counts;
  return nearestSplit && Object.values(nearestSplit).flatMap(({ share, examples }) => [share, examples]);
};

test('shares of two parts are found that leave neither empty and come nearest to the given ones', () => {
  expect(nearest(0.1, 0.405)).toEqual([0.4, 1, 0.6, 1]);
  expect(nearest(0.855, 0.99)).toEqual([0.86, 1, 0.14, 1]);
  expect(nearest(0.1, 0.9)).toEqual([0.8, 1, 0.2, 1]);
  expect(nearest(0.05, 0.05, 0.05, 0.31, 0.62, 0.7, 0.7)).toEqual([0.7, 5, 0.3, 2]);
  expect(nearest(0.101, 0.102)).toBeUndefined();
  expect(nearest()).toBeUndefined();
});
