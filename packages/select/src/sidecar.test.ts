import { expect, test } from 'vitest';
import { isFailure } from '@data-designer/core';
import { TextGenerator } from '../../bench/src/select/planted-texts.ts';
import type { Candidate } from './features.ts';
import { createRowSigner } from './row-signer.ts';
import type { SelectRules } from './select-rules.ts';
import { decodeFeatures, encodeFeatures } from './sidecar.ts';

const RULES: SelectRules = {
  unique: [
    { kind: 'exact', columns: ['text'] },
    { kind: 'minhash', columns: ['text', 'more'], threshold: 0.8 },
    { kind: 'embedding', column: 'vector', threshold: 0.9 },
  ],
  uniqueAgainst: [],
  balance: { column: 'topic', maxShare: 0.1 },
};

function candidates(): Candidate[] {
  const generator = new TextGenerator(2);
  const sign = createRowSigner(RULES);
  const text = (words: number) => generator.words(words).join(' ');
  return [
    sign({ text: text(40), more: text(3), vector: [1, 2, 3], topic: 'a' }),
    { kind: 'where' },
    sign({ text: null, more: text(3), vector: [1, 2], topic: null }),
    { kind: 'benchmark', file: 'a.csv', item: 4, share: 0.75 },
    sign({ text: text(2), more: '', topic: 3 }),
    sign({ text: text(300), more: text(30), vector: [0, 0, -1], topic: 'ü' }),
    { kind: 'lost' },
  ];
}

const path = 'group-0.features';

test('reads back the candidates of a row group', () => {
  const written = candidates();
  const bytes = encodeFeatures(written, RULES);
  expect(decodeFeatures(bytes, { rules: RULES, path })).toEqual(written);
  const unaligned = new Uint8Array(bytes.length + 1);
  unaligned.set(bytes, 1);
  expect(decodeFeatures(unaligned.subarray(1), { rules: RULES, path })).toEqual(written);
});

test('an empty row group and a group of refused rows have sidecars', () => {
  for (const written of [[], [{ kind: 'lost' }]] as const) {
    expect(decodeFeatures(encodeFeatures(written, RULES), { rules: RULES, path })).toEqual(written);
  }
});

test('features of other columns are not read; another threshold needs no new features', () => {
  const bytes = encodeFeatures(candidates(), RULES);
  const [exact, near, close] = RULES.unique;
  if (!exact || near?.kind !== 'minhash' || !close) throw new Error('the rules are three');
  const decode = (unique: SelectRules['unique']) => decodeFeatures(bytes, { rules: { ...RULES, unique }, path });
  expect(decode([exact, { ...near, threshold: 0.5 }, close])).toHaveLength(7);
  expect(decode([exact, { ...near, columns: ['text'] }, close])).toBeUndefined();
  const newer = bytes.slice();
  newer[4] = 99;
  expect(decodeFeatures(newer, { rules: RULES, path })).toBeUndefined();
});

test.each([
  ['a changed byte', (bytes: Uint8Array) => bytes.with(bytes.length - 20, 77)],
  ['a missing end', (bytes: Uint8Array) => bytes.subarray(0, -8)],
  ['a few bytes', (bytes: Uint8Array) => bytes.subarray(0, 10)],
  ['text', () => new TextEncoder().encode('{"rows": 1000, "columns": []}')],
])('%s is reported with the path', (_, damage) => {
  let thrown: unknown;
  try {
    decodeFeatures(damage(encodeFeatures(candidates(), RULES)), { rules: RULES, path });
  } catch (error) {
    thrown = error;
  }
  expect(isFailure(thrown, 'dataset/damaged') && thrown.message).toContain(path);
});
