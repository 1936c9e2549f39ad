import { type BenchmarkItem, type Benchmarks, hashGrams } from './benchmarks.ts';

/** A benchmark item that shares n-grams with a row, and the share of its tokens that they cover. */
export interface TouchedItem extends BenchmarkItem {
  readonly share: number;
}

/**
 * The benchmark items that share n-grams with the texts of a row, in the order of the files. A token of an item is
 * covered if it belongs to an n-gram that also occurs in a text of the row; n-grams do not cross texts.
 * Source: Lambert and others, "Tülu 3: Pushing Frontiers in Open Language Model Post-Training" (2024), section 3.2.
 */
export function touchedItems(benchmarks: Benchmarks, texts: readonly string[]): TouchedItem[] {
  const positions: number[] = [];
  for (const text of texts) collectPositions(benchmarks, text, positions);
  if (positions.length > 1) positions.sort((a, b) => a - b);
  const touched: TouchedItem[] = [];
  for (let at = 0; at < positions.length;) {
    const text = textAt(benchmarks, positions[at] ?? 0);
    const end = benchmarks.textStarts[text + 1] ?? 0;
    const first = at;
    while (at < positions.length && (positions[at] ?? 0) < end) at++;
    touched.push(touchedItem(benchmarks, text, positions.slice(first, at)));
  }
  return touched;
}

/** The touched item with the largest share, if that is at least `share`; the first of equals. */
export function contaminant(touched: readonly TouchedItem[], share: number): TouchedItem | undefined {
  let worst: TouchedItem | undefined;
  for (const item of touched) {
    if (item.share >= share && item.share > (worst?.share ?? 0)) worst = item;
  }
  return worst;
}

/** Appends the positions of a text's n-grams. */
function collectPositions(benchmarks: Benchmarks, text: string, positions: number[]): void {
  const { bucketBits, bucketStarts, tags, rests } = benchmarks;
  const { count, high, low } = hashGrams(text, benchmarks.ngram);
  for (let at = 0; at < count; at++) {
    const hash = high[at] ?? 0;
    const bucket = hash >>> (32 - bucketBits);
    const [tag, rest] = [hash & 0xffff, (low[at] ?? 0) >>> 0];
    const end = bucketStarts[bucket + 1] ?? 0;
    for (let entry = bucketStarts[bucket] ?? 0; entry < end; entry++) {
      if (rests[entry] === rest && tags[entry] === tag) positions.push(benchmarks.positions[entry] ?? 0);
    }
  }
}

/** The text of a position. */
function textAt({ textStarts }: Benchmarks, position: number): number {
  let [low, high] = [0, textStarts.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((textStarts[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

function touchedItem(benchmarks: Benchmarks, text: number, positions: readonly number[]): TouchedItem {
  const { ngram, files, textStarts, textFiles, textItems } = benchmarks;
  const length = (textStarts[text + 1] ?? 0) - (textStarts[text] ?? 0) + ngram - 1;
  let [covered, end] = [0, 0];
  for (const position of positions) {
    covered += position + ngram - Math.max(position, end);
    end = position + ngram;
  }
  return { file: files[textFiles[text] ?? 0] ?? '', item: textItems[text] ?? 0, share: covered / length };
}
