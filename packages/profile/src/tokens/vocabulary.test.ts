import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NO_TOKEN, Vocabulary } from './vocabulary.ts';

const published = readFileSync(new URL(import.meta.resolve('gpt-tokenizer/data/cl100k_base.tiktoken')));
/** The tokens of cl100k_base in the order of their ranks. */
const tokens = published
  .toString('latin1')
  .trim()
  .split('\n')
  .map((line) => Buffer.from(line.split(' ', 1)[0] ?? '', 'base64'));

test('the library has the file that OpenAI publishes', () => {
  // The hash that tiktoken compares after its download.
  const hash = '223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7';
  expect(createHash('sha256').update(published).digest('hex')).toBe(hash);
});

test('the vocabulary file has the tokens of cl100k_base with their ranks, and no others', () => {
  const vocabulary = Vocabulary.load();
  const wrong = tokens.filter((token, rank) => vocabulary.rankOf(token, 0, token.length) !== rank);
  expect(wrong.map(String)).toEqual([]);
  expect(tokens).toHaveLength(100_256);
  // 65,537 addresses, then four bytes and the token's own for each: there is no room for another one.
  const bytes = readFileSync(new URL('cl100k-base.bin', import.meta.url)).length;
  expect(bytes).toBe(65_537 * 3 + tokens.reduce((sum, { length }) => sum + 4 + length, 0));
});

test('the vocabulary file of o200k_base has its tokens with their ranks, and no others', () => {
  const file = readFileSync(new URL(import.meta.resolve('gpt-tokenizer/data/o200k_base.tiktoken')));
  // The hash that tiktoken compares after its download.
  const hash = '446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d';
  expect(createHash('sha256').update(file).digest('hex')).toBe(hash);
  const lines = file.toString('latin1').trim().split('\n');
  const all = lines.map((line) => Buffer.from(line.split(' ', 1)[0] ?? '', 'base64'));
  const vocabulary = Vocabulary.load('o200k_base');
  const ranks = lines.map((line) => Number(line.split(' ')[1]));
  expect(all.filter((token, index) => vocabulary.rankOf(token, 0, token.length) !== ranks[index])).toEqual([]);
  const bytes = readFileSync(new URL('o200k-base.bin', import.meta.url)).length;
  expect(bytes).toBe(65_537 * 3 + all.reduce((sum, { length }) => sum + 4 + length, 0));
});

test('bytes that are no token have no rank, wherever they lie in a text', { tags: 'long' }, () => {
  const vocabulary = Vocabulary.load();
  const known = new Set(tokens.map((token) => token.toString('latin1')));
  // Tokens one after the other: many slices are tokens, and most are not.
  const text = Buffer.concat(tokens.filter((_, rank) => rank % 500 === 0));
  const wrong: string[] = [];
  for (let start = 0; start < text.length; start++) {
    for (let end = start + 1; end <= Math.min(text.length, start + 140); end++) {
      const slice = text.toString('latin1', start, end);
      if ((vocabulary.rankOf(text, start, end) !== NO_TOKEN) !== known.has(slice)) wrong.push(slice);
    }
  }
  expect(wrong).toEqual([]);
});
