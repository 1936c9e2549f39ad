import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { Random } from '@data-designer/core';
import { countTokens as countByLibrary } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as countO200kByLibrary } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { countTokens } from './count-tokens.ts';

const random = Random.of(1, 'texts');

/** A text of `length` parts, each drawn from a list or by a function. */
function textOf(parts: readonly string[] | (() => string), length: number): string {
  const draw = typeof parts === 'function' ? parts : () => parts[random.below(parts.length)] ?? '';
  return Array.from({ length }, draw).join('');
}

function textsOf(parts: readonly string[] | (() => string), count = 300): readonly string[] {
  return Array.from({ length: count }, () => textOf(parts, random.below(60)));
}

/** The texts that are counted otherwise than by the library, in quotes. */
async function differing(texts: readonly string[]): Promise<readonly string[]> {
  const counts = await countTokens(texts);
  const expected = texts.map((text) => countByLibrary(text, { disallowedSpecial: new Set() }));
  return texts.filter((_, index) => counts[index] !== expected[index]).map((text) => JSON.stringify(text));
}

/** Next line and the byte order mark: the library divides texts at other places there than OpenAI's tiktoken. */
const DIFFERENT: readonly number[] = [0x85, 0xfeff];

/** A UTF-16 code unit at which the library divides texts as tiktoken does. */
function unitBelow(end: number): string {
  const code = random.below(end);
  return DIFFERENT.includes(code) ? '' : String.fromCharCode(code);
}

/** Texts of several languages that use most of Unicode's classes of characters. */
const WRITTEN = [
  '',
  'hello world',
  "The quick brown fox doesn't jump over 12,345.67 lazy dogs -- they're asleep!",
  'export const sum = (a: number, b: number): number => {\n\treturn a + b; // 0x1F\r\n};\n\n\n  if (!x?.[0]) {}',
  '{"id": 17, "tags": ["a", null, true], "text": "line\\nline \\u00e9", "n": -1.5e-10}',
  '人工智能是计算机科学的一个分支，它企图了解智能的实质。春眠不觉晓，处处闻啼鸟。東京は日本の首都です。한국어도 있어요',
  'الذكاء الاصطناعي هو سلوك وخصائص معينة تتسم بها البرامج ١٢٣٤٥، שלום עולם, नमस्ते दुनिया, สวัสดีชาวโลก',
  'Straße, naïve façade, Ελληνικά, Привет, мир! ǅungla ﬁn Ⅷ ½ ²³ ٣',
  'e\u0301a\u0308o\u0302\u0303 Z\u0351\u036b\u0343a\u0329\u0320l\u0334go \u{1d518}\u{1d52b}\u{20000}\u{2a6d6}',
  '😀👍🏽👨‍👩‍👧‍👦🏳️‍🌈🇩🇪❤️ 1️⃣ and text🎉🎉🎉',
  "I'll IT'S we'VE They'Re 'd 'S 'lL ''ll 'x I'm'm don'tt",
  '<|endoftext|><|fim_prefix|><|im_start|>user<|endofprompt|>',
];

test('texts are counted in tokens of cl100k_base', async () => {
  expect(await countTokens(['', 'hello world', 'Tell of salt.'])).toEqual([0, 2, 4]);
  expect(await differing(WRITTEN)).toEqual([]);
});

test('texts are divided as tiktoken divides them, also where the library does not', async () => {
  // Counted by tiktoken 0.14.0 of Python.
  const counted = {
    "it'ſs": 5,
    "'ſ": 3,
    '\ufeff': 1,
    '\ufeff//': 1,
    '\ufeff\n': 1,
    '\ufeffusing': 1,
    'a \ufeff\ufeff b': 4,
    'a\u0085b': 4,
    ' \u0085 b': 3,
  };
  expect(await countTokens(Object.keys(counted))).toEqual(Object.values(counted));
});

test('every beginning of a text is counted as the library does, also one that ends within a character', async () => {
  expect(
    await differing(
      WRITTEN.flatMap((text) => Array.from({ length: text.length }, (_, length) => text.slice(0, length))),
    ),
  ).toEqual([]);
});

test('sources, JSON and prose of this repository are counted as the library does', { tags: 'long' }, async () => {
  const root = new URL('../../../../', import.meta.url);
  const files = ['package-lock.json', 'docs/internals/profile.md', 'README.md', 'packages/core/src/random.ts'];
  expect(await differing(files.map((file) => readFileSync(new URL(file, root), 'utf8')))).toEqual([]);
});

test('white space and line breaks are counted as the library does', async () => {
  expect(
    await differing(
      textsOf([' ', '  ', '\t', '\n', '\r\n', '\r', '\u00a0', '\u2003', '\u2028', '\v', 'a', '1', '.'], 2000),
    ),
  ).toEqual([]);
});

test('contractions, digits and marks are counted as the library does', async () => {
  expect(
    await differing(
      textsOf(["'", 's', 'S', 'll', 'VE', 'rE', 'd', ' ', '7', '12', '٣', '!', '--', '\n', 'é', '中'], 2000),
    ),
  ).toEqual([]);
});

test(
  'each token that is text is counted as one, and texts of tokens are counted as the library does',
  { tags: 'long' },
  async () => {
    const file = readFileSync(new URL(import.meta.resolve('gpt-tokenizer/data/cl100k_base.tiktoken')), 'latin1');
    const bytes = file.split('\n').map((line) => Buffer.from(line.split(' ', 1)[0] ?? '', 'base64'));
    const tokens = bytes.filter((token) => token.length > 0 && isUtf8(token)).map(String);
    expect(tokens).toHaveLength(99_483);
    const counts = await countTokens(tokens);
    expect(tokens.filter((_, index) => counts[index] !== 1)).toEqual([]);
    expect(
      await differing(
        textsOf(
          tokens.filter((token) => !token.startsWith('\ufeff')),
          2000,
        ),
      ),
    ).toEqual([]);
  },
);

test('random characters and bytes are counted as the library does', { tags: 'long' }, async () => {
  expect(await differing(textsOf(() => unitBelow(0x10000), 2000))).toEqual([]);
  expect(await differing(textsOf(() => unitBelow(0x3000), 2000))).toEqual([]);
  expect(await differing(textsOf(() => String.fromCodePoint(0x10000 + random.below(0x100000)), 2000))).toEqual([]);
  const bytes = Array.from({ length: 500 }, () => Buffer.from(Array.from({ length: 80 }, () => random.below(256))));
  expect(await differing(bytes.map(String))).toEqual([]);
});

test('halves of surrogate pairs are counted as U+FFFD', async () => {
  expect(await differing(textsOf(['\ud83d', '\ude00', '😀', 'a', ' ', '"'], 2000))).toEqual([]);
  expect(await countTokens(['a\ud83d'])).toEqual(await countTokens(['a\ufffd']));
});

test('a text that ends within a pair of surrogates is counted alike, however often it is counted', async () => {
  // `codePointAt` takes the rest of the pair from the text that it was cut from, in optimized code of Node 24.
  const text = 'A long text, so that parts of it are not copied 中">😀';
  const counts = await countTokens(Array.from({ length: 20_000 }, () => text.slice(0, -1)));
  expect(new Set(counts)).toEqual(new Set([countByLibrary(`${text.slice(0, -2)}\ufffd`)]));
});

test('long runs are counted as the library does', { tags: 'long' }, async () => {
  const runs = ['a', 'ab', 'é', '中', '😀', ' ', '\n', '\r\n', '-', '.!', '0', ' \n', '\u0301', 'xyzzy'];
  const long = runs.map((run) => run.repeat(2000 / run.length));
  const words = Array.from({ length: 20 }, () => textOf(() => String.fromCharCode(97 + random.below(26)), 1500));
  expect(await differing([...long.flatMap((run) => [run, `${run}x`, `x ${run} 1`]), ...words])).toEqual([]);
});

test('a word of 200,000 letters is counted exactly', async () => {
  const runs = ['ab'.repeat(100_000), 'a'.repeat(200_000), `${' '.repeat(200_000)}x`];
  // Two letters, eight letters and 128 spaces are tokens.
  expect(await countTokens(runs)).toEqual([100_000, 25_000, Math.ceil(199_999 / 128) + 1]);
});

/** The texts whose tokens of o200k_base are counted otherwise than by the library, in quotes. */
async function differingInO200k(texts: readonly string[]): Promise<readonly string[]> {
  const counts = await countTokens(texts, 'o200k_base');
  const expected = texts.map((text) => countO200kByLibrary(text, { disallowedSpecial: new Set() }));
  return texts.filter((_, index) => counts[index] !== expected[index]).map((text) => JSON.stringify(text));
}

test('o200k_base is counted as the library does', { tags: 'long' }, async () => {
  expect(await countTokens(['', 'hello world', 'Tell of salt.'], 'o200k_base')).toEqual([0, 2, 4]);
  const beginnings = WRITTEN.flatMap((text) =>
    Array.from({ length: text.length }, (_, length) => text.slice(0, length)),
  );
  expect(await differingInO200k([...WRITTEN, ...beginnings])).toEqual([]);
  expect(
    await differingInO200k([
      ...textsOf([' ', '  ', '\t', '\n', '\r\n', '\r', '\u00a0', '\u2003', '\u2028', 'a', '1', '.', '/'], 2000),
      ...textsOf(
        ["'", 's', 'S', 'll', 'VE', 'rE', 'd', ' ', '7', 'Ab', 'ABc', 'e\u0301', '!', '--/', '\n', 'é', '中'],
        2000,
      ),
      ...textsOf(() => unitBelow(0x10000), 2000),
      ...textsOf(() => unitBelow(0x3000), 2000),
    ]),
  ).toEqual([]);
});
