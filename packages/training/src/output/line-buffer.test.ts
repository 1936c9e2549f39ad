import { expect, test } from 'vitest';
import { Float, Random, rawJson, stringifyJson } from '@data-designer/core';
import { LineBuffer } from './line-buffer.ts';

/** The lines of values in one buffer, as texts. */
function linesOf(values: readonly unknown[], length = 64): string[] {
  const buffer = new LineBuffer(length);
  for (const value of values) buffer.add(value);
  const { bytes, ends } = buffer.take();
  return ends.map((end, index) => Buffer.from(bytes.subarray(index === 0 ? 0 : ends[index - 1], end)).toString());
}

const asJson = (values: readonly unknown[]) => values.map((value) => `${stringifyJson(value)}\n`);

test('every byte of ASCII, at every place of a text, is written as JSON does', () => {
  const texts = Array.from({ length: 128 }, (_, code) => code).flatMap((code) =>
    Array.from({ length: 11 }, (__, at) => `${'a'.repeat(at)}${String.fromCharCode(code)}${'b'.repeat(10 - at)}`),
  );
  expect(linesOf(texts)).toEqual(asJson(texts));
});

test('texts with other characters, many escapes and halves of pairs are written as JSON does', () => {
  const texts = [
    '',
    'é\n"ü"',
    '日本語のテキスト\t\\',
    '😀"😀',
    'half \ud83d of a pair, and \udc00\n',
    '\u2028\u2029\u007f\u0080\ufeff',
    '"'.repeat(5000),
    `${'x'.repeat(40)}\n`.repeat(300),
    'é'.repeat(10_000),
  ];
  expect(linesOf(texts)).toEqual(asJson(texts));
  expect(linesOf(texts.map((text) => ({ text, [text]: [text] })))).toEqual(
    asJson(texts.map((text) => ({ text, [text]: [text] }))),
  );
});

test('values of every kind are written as JSON does', () => {
  const values = [
    null,
    true,
    0,
    -0,
    1.5,
    1e21,
    NaN,
    -Infinity,
    new Float(2),
    2n ** 70n,
    rawJson('1.10'),
    new Date(0),
    [],
    {},
    [undefined, [null]],
    { a: undefined, b: { c: undefined }, d: [{}, { e: 1n }], '"': 'quoted' },
    { 2: 'b', 1: 'a', __proto__: { inherited: true } },
    Object.assign(Object.create(null) as object, { own: 'é"' }),
    undefined,
  ];
  expect(linesOf(values)).toEqual([...asJson(values.slice(0, -1)), 'null\n']);
});

test('random values are written as JSON does', () => {
  const random = Random.of(7, 'lines').at(0);
  const characters = ['a', 'b', ' ', '"', '\\', '\n', '\u0001', 'é', '語', '😀'];
  const text = () => Array.from({ length: random.below(60) }, () => characters[random.below(10)] ?? '').join('');
  const value = (depth: number): unknown => {
    if (depth === 0 || random.below(3) === 0) return random.below(4) === 0 ? random.below(1000) / 8 : text();
    const parts = Array.from({ length: random.below(4) }, () => value(depth - 1));
    return random.below(2) === 0 ? parts : Object.fromEntries(parts.map((part) => [text(), part]));
  };
  const values = Array.from({ length: 2000 }, () => value(3));
  expect(linesOf(values)).toEqual(asJson(values));
});

test('escapes that outgrow the memory leave room for the characters behind them', () => {
  const texts = Array.from({ length: 900 }, (_, n) => `${'\n'.repeat(n % 30)}${'x'.repeat(Math.floor(n / 30) * 4)}`);
  for (const text of texts) expect(linesOf([text], 8)).toEqual(asJson([text]));
});

test('lines that are taken make room for the next ones', () => {
  const buffer = new LineBuffer(8);
  buffer.add('first');
  buffer.addLine(Buffer.from('second\n'));
  expect(buffer.length).toBe(15);
  const { bytes, ends } = buffer.take();
  expect([Buffer.from(bytes).toString(), ends]).toEqual(['"first"\nsecond\n', [8, 15]]);
  expect([buffer.length, buffer.take().ends]).toEqual([0, []]);
  buffer.add(3);
  expect(Buffer.from(buffer.take().bytes).toString()).toBe('3\n');
});
