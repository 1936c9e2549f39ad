import { BenchmarkBuilder, contaminant, touchedItems } from '@data-designer/select';
import type { BenchRow } from '../spine.ts';
import { TextGenerator } from './planted-texts.ts';

const NGRAM = 8;
const SHARE = 0.5;
const ITEMS = 20_000;
const PLANTED = 1000;
const CLEAN = 100_000;
const ROW_WORDS = 120;

/** What is done to the items that rows contain. */
const FORMS: Readonly<Record<string, (words: readonly string[]) => string>> = {
  whole: (words) => words.join(' '),
  'the first half': (words) => words.slice(0, Math.ceil(words.length / 2)).join(' '),
  'the second half': (words) => words.slice(Math.floor(words.length / 2)).join(' '),
  'other case and punctuation': (words) =>
    words.map((word, at) => (at % 3 === 0 ? `"${word.toUpperCase()}",` : `${word}\n`)).join(' '),
};

/** Items found in rows that contain them, and rows refused that contain none. */
export function contaminatedRows(): readonly BenchRow[] {
  const generator = new TextGenerator(5);
  const items = Array.from({ length: ITEMS }, () => generator.words(20 + generator.below(60)));
  const builder = new BenchmarkBuilder(NGRAM);
  for (const [item, words] of items.entries()) builder.add({ file: 'items', item }, words.join(' '));
  const benchmarks = builder.build();
  const worst = (text: string) => contaminant(touchedItems(benchmarks, [text]), SHARE);
  const rows: BenchRow[] = Object.entries(FORMS).map(([form, change]) => {
    const found = items.slice(0, PLANTED).filter((words, item) => {
      const [before, after] = [generator.words(ROW_WORDS / 2), generator.words(ROW_WORDS / 2)];
      return worst(`${before.join(' ')} ${change(words)} ${after.join(' ')}`)?.item === item;
    });
    return {
      what: `rows with an item, ${form}`,
      figures: { planted: PLANTED, 'found %': (100 * found.length) / PLANTED },
    };
  });
  let refused = 0;
  for (let row = 0; row < CLEAN; row++) if (worst(generator.words(ROW_WORDS).join(' '))) refused++;
  return [...rows, { what: 'rows without an item', figures: { rows: CLEAN, 'refused %': (100 * refused) / CLEAN } }];
}
