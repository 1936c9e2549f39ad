import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { TextGenerator } from '../../bench/src/select/planted-texts.ts';
import { BenchmarkBuilder, type Benchmarks } from './benchmarks.ts';
import { contaminant, touchedItems } from './contamination.ts';
import { createRowSigner } from './row-signer.ts';
import { Selector } from './selector.ts';
import { printReason } from './verdict.ts';

const EIGHT = 'zero one two three four five six seven';

function indexOf(items: readonly string[], file = 'math.jsonl'): Benchmarks {
  const builder = new BenchmarkBuilder(8);
  for (const [item, text] of items.entries()) builder.add({ file, item }, text);
  return builder.build();
}

test('counts the tokens of an item that its n-grams cover', () => {
  const item = `${EIGHT} eight nine ten eleven twelve thirteen fourteen fifteen`;
  const share = (row: string): number | undefined => touchedItems(indexOf([item]), [row])[0]?.share;
  expect(share(item)).toBe(1);
  expect(share(`so, ${EIGHT} and`)).toBe(0.5);
  expect(share(`${EIGHT} eight`)).toBe(9 / 16);
  expect(share(`${EIGHT} ${EIGHT}`)).toBe(0.5);
  expect(share(`${EIGHT} x eight nine ten eleven twelve thirteen fourteen fifteen`)).toBe(1);
  expect(share('one two three four five six seven')).toBeUndefined();
});

test('case, punctuation, width and white space do not matter', () => {
  const benchmarks = indexOf(['Zero-one: "two" three, four? Five (six) SEVEN!']);
  expect(touchedItems(benchmarks, ['zero ONE two—three   four five\nsix ｓｅｖｅｎ.'])).toEqual([
    { file: 'math.jsonl', item: 0, share: 1 },
  ]);
});

test('items of fewer tokens than an n-gram match a whole text only', () => {
  const benchmarks = indexOf(['What is tea?', '...', 'Tea']);
  expect(touchedItems(benchmarks, ['what is tea'])).toEqual([{ file: 'math.jsonl', item: 0, share: 1 }]);
  expect(touchedItems(benchmarks, ['So what is tea?'])).toEqual([]);
  expect(touchedItems(benchmarks, ['', '!'])).toEqual([]);
});

test('the texts of a row add up, and the first of the most covered items is named', () => {
  const builder = new BenchmarkBuilder(8);
  const other = EIGHT.replaceAll(/\w+/g, 'other$&');
  builder.add({ file: 'a.csv', item: 3 }, `${EIGHT} ${other}`);
  builder.add({ file: 'b.csv', item: 5 }, EIGHT);
  builder.add({ file: 'b.csv', item: 6 }, EIGHT);
  const touched = touchedItems(builder.build(), [EIGHT, other]);
  expect(touched.map(({ file, item, share }) => [file, item, share])).toEqual([
    ['a.csv', 3, 1],
    ['b.csv', 5, 1],
    ['b.csv', 6, 1],
  ]);
  expect(contaminant(touched, 0.5)).toMatchObject({ file: 'a.csv', item: 3 });
  expect(contaminant(touchedItems(builder.build(), [EIGHT]), 0.5)).toMatchObject({ file: 'b.csv', item: 5 });
  expect(contaminant(touchedItems(indexOf([`${EIGHT} ${other}`]), [EIGHT]), 0.51)).toBeUndefined();
});

test('a row with a benchmark item is refused with its place', () => {
  const rules = {
    unique: [],
    uniqueAgainst: [],
    notIn: { files: ['gsm8k.jsonl'], columns: ['question', 'answer'], ngram: 8, share: 0.5 },
  };
  const sign = createRowSigner(rules, indexOf(['Other text', `${EIGHT} eight nine ten eleven`], 'gsm8k.jsonl'));
  using selector = new Selector(rules);
  const verdict = selector.decide(0, sign({ question: null, answer: `Well: ${EIGHT}.` }));
  expect(verdict.accepted ? '' : printReason(verdict.reason)).toBe('benchmark gsm8k.jsonl#1 (0.67)');
  expect(selector.decide(1, sign({ question: 'Well', answer: 4 })).accepted).toBe(true);
});

test('the index is shared between threads, not copied', () => {
  const benchmarks = indexOf([EIGHT]);
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(benchmarks);
  const received: { readonly message: Benchmarks } | undefined = receiveMessageOnPort(port2);
  port1.close();
  expect(touchedItems(received?.message ?? indexOf([]), [EIGHT])).toHaveLength(1);
  benchmarks.rests.fill(0);
  expect(touchedItems(received?.message ?? indexOf([EIGHT]), [EIGHT])).toEqual([]);
});

/** The published rule on texts instead of hashes. */
function sharesByText(items: readonly (readonly string[])[], row: readonly string[]): number[] {
  const grams = new Set(row.slice(0, -7).map((_, at) => row.slice(at, at + 8).join(' ')));
  return items.map((item) => {
    const covered = new Set<number>();
    for (let at = 0; at + 8 <= item.length; at++) {
      if (grams.has(item.slice(at, at + 8).join(' '))) for (let token = at; token < at + 8; token++) covered.add(token);
    }
    return covered.size / item.length;
  });
}

test('gives the shares of the published rule', () => {
  const generator = new TextGenerator(11);
  const items = Array.from({ length: 60 }, () => generator.words(8 + generator.below(60)));
  const benchmarks = indexOf(items.map((words) => words.join(' ')));
  for (let row = 0; row < 100; row++) {
    const words = generator.words(80);
    for (let part = 0; part < 3; part++) {
      const item = items[generator.below(items.length)] ?? [];
      const start = generator.below(item.length);
      words.splice(generator.below(words.length), 0, ...item.slice(start, start + generator.below(40)));
    }
    const expected = sharesByText(items, words).flatMap((share, item) => (share > 0 ? [[item, share]] : []));
    expect(touchedItems(benchmarks, [words.join(' ')]).map(({ item, share }) => [item, share])).toEqual(expected);
  }
});
