import { expect, test } from 'vitest';
import { type CellValue, Float } from '@data-designer/core';
import { TextGenerator } from '../../bench/src/select/planted-texts.ts';
import type { Signature } from './features.ts';
import { createRowSigner } from './row-signer.ts';
import type { UniqueRule } from './select-rules.ts';
import { Selector } from './selector.ts';

/** The signature of a cell `text` under one rule. */
function signatureOf(rule: UniqueRule, text: CellValue): Signature | undefined {
  const candidate = createRowSigner({ unique: [rule], uniqueAgainst: [] })({ text });
  return candidate.kind === 'features' ? candidate.unique[0] : undefined;
}

/** Whether the selector takes the second cell for a duplicate of the first, and how similar they are. */
function similarity(rule: UniqueRule, [first, second]: readonly [CellValue, CellValue]): number | undefined {
  const rules = { unique: [rule], uniqueAgainst: [] };
  using selector = new Selector(rules);
  const sign = createRowSigner(rules);
  selector.decide(0, sign({ text: first }));
  const verdict = selector.decide(1, sign({ text: second }));
  return !verdict.accepted && verdict.reason.kind === 'duplicate' ? verdict.reason.similarity : undefined;
}

const NEAR: UniqueRule = { kind: 'minhash', columns: ['text'], threshold: 0.5 };
const CLOSE: UniqueRule = { kind: 'embedding', column: 'text', threshold: 0.9 };

test('signatures stay the same, so that a later version accepts the same rows on a resume', () => {
  const text = new TextGenerator(3).words(20).join(' ');
  expect(signatureOf({ kind: 'exact', columns: ['text'] }, 'What is tea?')).toMatchInlineSnapshot(`
    {
      "keys": Uint32Array [
        2017562333,
        2821109702,
        904372394,
        3835367760,
      ],
      "kind": "text",
    }
  `);
  expect(signatureOf(NEAR, text)).toMatchInlineSnapshot(`
    {
      "keys": Uint32Array [
        3551898093,
        1962706682,
        3927335073,
        4090718494,
        3309270026,
        3013849645,
        2329958279,
        3327861314,
        2267892472,
        8285250,
        3808784458,
        2977026271,
        2346777141,
        2281521305,
        1439074597,
        411595677,
        2709970648,
        3078223472,
        2229965087,
        1571543351,
        400588298,
        2088096548,
        3532365495,
        887728230,
        2679018513,
        2147545266,
        1097808551,
      ],
      "kind": "shingles",
      "values": Uint32Array [
        20504245,
        152661724,
        195897717,
        509210762,
        526111646,
        1254100464,
        1263332288,
        1369533087,
        1616776967,
        1736592960,
        2159324250,
        2445583597,
        3336812638,
        3553506886,
        3554601440,
        3608566246,
      ],
    }
  `);
  expect(signatureOf(CLOSE, [3, 0, 4])).toMatchInlineSnapshot(`
    {
      "keys": Uint32Array [
        3696926914,
        2519764490,
        3220814613,
        594686891,
        3064787177,
        1111007334,
        3474211900,
        1407340807,
        3697149074,
        354146505,
        4015127540,
        372141459,
      ],
      "kind": "vector",
      "values": Float32Array [
        0.6000000238418579,
        0,
        0.800000011920929,
      ],
    }
  `);
});

test('texts of fewer than ten shingles are duplicates only if they are equal', () => {
  const words = 'one two three four five six seven eight nine ten eleven twelve thirteen';
  expect(signatureOf(NEAR, words)?.kind).toBe('text');
  expect(signatureOf(NEAR, `${words} fourteen`)?.kind).toBe('shingles');
  expect(similarity(NEAR, [words, ` ${words.toUpperCase()}`])).toBe(1);
  expect(similarity(NEAR, [words, words.replace('thirteen', '13')])).toBeUndefined();
});

test('the similarity is that of the sets of shingles', () => {
  const words = new TextGenerator(1).words(64);
  const copy = [...words];
  copy[30] = 'other';
  expect(similarity(NEAR, [words.join(' '), copy.join('\n')])).toBeCloseTo(55 / 65, 4);
});

test.each([
  [
    'Chinese',
    '今天天气很好我们一起去公园散步然后回家做饭看电视休息',
    '今天天气很好我们一起去公园散步然后回家做饭看电影休息',
  ],
  ['Thai', 'วันนี้อากาศดีมากเราไปเดินเล่นที่สวนสาธารณะกัน', 'วันนี้อากาศดีมากเราไปเดินเล่นที่สวนสาธารณะกับ'],
  ['rare ideographs', '𠀀𠀁𠀂𠀃𠀄𠀅𠀆𠀇𠀈𠀉𠀊𠀋𠀌𠀍𠀎𠀏𠀐𠀑𠀒𠀓𠀔', '𠀀𠀁𠀂𠀃𠀄𠀅𠀆𠀇𠀈𠀉𠀊𠀋𠀌𠀍𠀎𠀏𠀐𠀑𠀒𠀓'],
])('shingles of %s are runs of five characters', (_, text, copy) => {
  const signature = signatureOf(NEAR, text);
  expect(signature).toMatchObject({ kind: 'shingles' });
  expect(signature?.kind === 'shingles' && signature.values.length).toBe(Array.from(text).length - 4);
  expect(similarity(NEAR, [text, copy])).toBeGreaterThan(0.6);
});

test('vectors are compared by their direction; the cosine has four digits', () => {
  const angle = Math.acos(0.95);
  const vectors: [CellValue, CellValue] = [
    [2, 0, 0],
    [new Float(3 * Math.cos(angle)), 3 * Math.sin(angle), 0],
  ];
  expect(similarity(CLOSE, vectors)).toBe(0.95);
  expect(similarity({ ...CLOSE, threshold: 0.9501 }, vectors)).toBeUndefined();
});

test('reads the cell of an embedding column; several vectors count as their mean', () => {
  const cell = {
    embeddings: [
      [1, 0],
      [0, 5],
    ],
    num_embeddings: 2,
    dimension: 2,
  };
  expect(similarity(CLOSE, [cell, [1, 1]])).toBe(1);
});

test.each([[null], ['text'], [[]], [[0, 0]], [['a']], [[[1, 0], [1]]], [{ embeddings: [] }]])(
  '%j has no vector',
  (cell) => {
    expect(signatureOf(CLOSE, cell)).toBeUndefined();
  },
);

test('finds near vectors among many', () => {
  const rules = { unique: [{ ...CLOSE, column: 'text' }], uniqueAgainst: [] };
  using selector = new Selector(rules);
  const sign = createRowSigner(rules);
  const generator = new TextGenerator(5);
  const draw = () => Array.from({ length: 64 }, () => generator.below(2001) - 1000);
  const vectors = Array.from({ length: 300 }, draw);
  for (const [index, text] of vectors.entries()) {
    expect(selector.decide(index, sign({ text })).accepted).toBe(true);
  }
  const found = vectors.filter((vector, index) => {
    const verdict = selector.decide(300 + index, sign({ text: vector.map((one) => one + generator.below(400) - 200) }));
    return !verdict.accepted && verdict.reason.kind === 'duplicate' && verdict.reason.of === index;
  });
  expect(found.length).toBeGreaterThanOrEqual(297);
});
