import { Random } from '@data-designer/core';

/** Words of the vocabulary; the word of rank r occurs with a frequency of about 1 / r. */
const VOCABULARY = 4000;
const SYLLABLES = [
  'ka',
  'lo',
  'mi',
  'ne',
  'ru',
  'sta',
  'ven',
  'dor',
  'pel',
  'qui',
  'tha',
  'zo',
  'bri',
  'gan',
  'shu',
  'wex',
];

/** Replaced words of a copy, and shingles of 5 words in its original, so that the pair has exactly the similarity. */
const PAIR_FORMS = {
  0.5: { edits: 16, shingles: 240 },
  0.6: { edits: 12, shingles: 240 },
  0.7: { edits: 9, shingles: 255 },
  0.8: { edits: 6, shingles: 270 },
  0.9: { edits: 3, shingles: 285 },
  0.95: { edits: 2, shingles: 390 },
} as const;

/** A Jaccard similarity that pairs can have. */
export type PairSimilarity = keyof typeof PAIR_FORMS;

/** Two texts of one similarity, by their positions. */
interface PlantedPair {
  readonly first: number;
  readonly second: number;
  readonly similarity: number;
}

/** Texts of which some are near-duplicates of an earlier one. */
export interface PlantedTexts {
  readonly texts: readonly string[];
  readonly pairs: readonly PlantedPair[];
}

/** Draws texts of some 1,700 characters from a seed. */
export class TextGenerator {
  readonly #random: Random;
  readonly #vocabulary: readonly string[];
  #names = 0;

  constructor(seed: number) {
    this.#random = Random.of(seed, 'texts').at(0);
    this.#vocabulary = Array.from({ length: VOCABULARY }, (_, rank) => wordOf(rank));
  }

  below(bound: number): number {
    return this.#random.below(bound);
  }

  words(count: number): string[] {
    return Array.from({ length: count }, () => {
      const rank = Math.floor(VOCABULARY ** this.#random.float()) - 1;
      return this.#vocabulary[rank] ?? '';
    });
  }

  /** A word that no other text contains. */
  name(): string {
    return `name${this.#names++}`;
  }

  /** A copy with single words replaced, at least five words apart and none at an end. */
  edited(words: readonly string[], edits: number): string[] {
    const copy = [...words];
    const stride = Math.floor((words.length - 8) / edits);
    for (let edit = 0; edit < edits; edit++) copy[4 + edit * stride + this.below(stride - 4)] = this.name();
    return copy;
  }
}

function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + 1; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length];
  return word;
}

/** Texts with some pairs of each similarity; the copies stand at random places behind their originals. */
export function plantTexts(options: {
  readonly seed: number;
  readonly texts: number;
  readonly pairs: number;
  readonly similarities: readonly PairSimilarity[];
}): PlantedTexts {
  const { pairs, similarities } = options;
  const generator = new TextGenerator(options.seed);
  const copies: { readonly first: number; readonly text: string; readonly similarity: number }[] = [];
  const originals = Array.from({ length: options.texts - pairs * similarities.length }, (_, first) => {
    const similarity = similarities[Math.floor(first / pairs)];
    if (similarity === undefined) return generator.words(280).join(' ');
    const { edits, shingles } = PAIR_FORMS[similarity];
    const words = generator.words(shingles + 4);
    copies.push({ first, text: generator.edited(words, edits).join(' '), similarity });
    return words.join(' ');
  });
  for (let at = copies.length - 1; at > 0; at--) {
    const other = generator.below(at + 1);
    const [one, two] = [copies[at], copies[other]];
    if (one && two) [copies[at], copies[other]] = [two, one];
  }
  return {
    texts: [...originals, ...copies.map(({ text }) => text)],
    pairs: copies.map(({ first, similarity }, at) => ({ first, second: originals.length + at, similarity })),
  };
}
