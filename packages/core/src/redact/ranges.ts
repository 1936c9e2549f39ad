import type { Hit } from './needles.ts';

/** A part of a text that is removed. */
export interface Range {
  start: number;
  end: number;
}

/** What an encoded text may consist of. */
const RUN = /[\w+/=%-]/;
const NO_RUN = /[^\w+/=%-]/;
/** Pieces of one secret may have so many characters between them that could not be read. */
const NEAR = 16;

/** The parts of a text to remove: each hit, and the run of text around one that is encoded or only a piece. */
export function rangesOf(hits: readonly Hit[], text: string): readonly Range[] {
  const ranges: (Range & { isWhole: boolean })[] = [];
  for (const hit of hits.toSorted((a, b) => a.start - b.start)) {
    const last = ranges.at(-1);
    if (last && hit.end <= last.end) continue;
    const part = { ...partOf(hit, text), isWhole: isWhole(hit) };
    const near = part.isWhole && last?.isWhole === true ? 0 : NEAR;
    if (!last || part.start > last.end + near) ranges.push(part);
    else {
      last.start = Math.min(last.start, part.start);
      last.end = Math.max(last.end, part.end);
      last.isWhole &&= part.isWhole;
    }
  }
  return ranges;
}

function isWhole({ before, after }: Hit): boolean {
  return before === 0 && after === 0;
}

function partOf(hit: Hit, text: string): Range {
  let { start, end } = hit;
  if (isWhole(hit) && hit.isInPlace) return { start, end };
  const perByte = (end - start) / hit.length;
  const isSpread = NO_RUN.test(text.slice(start, end));
  if (isSpread) {
    // Of a reversed layer the rest is at the other side.
    const rest = Math.ceil(Math.max(hit.before, hit.after) * perByte);
    start = Math.max(0, start - (hit.before > 0 ? rest : 0));
    end = Math.min(text.length, end + (hit.after > 0 ? rest : 0));
  }
  while (start > 0 && RUN.test(text[start - 1] as string)) start--;
  while (end < text.length && RUN.test(text[end] as string)) end++;
  // Half an escape would break the JSON around it.
  while (start > 0 && text[start - 1] === '\\') start--;
  return { start, end };
}

/** A text with a mark in place of each of its parts within the ranges, which are numbered from `from`. */
export function replaceIn(
  text: string,
  ranges: readonly Range[],
  { mark, from }: { mark: string; from: number },
): string {
  let done = 0;
  let result = '';
  for (const range of ranges) {
    const start = Math.max(range.start - from, 0);
    const end = Math.min(range.end - from, text.length);
    if (end <= start) continue;
    result += text.slice(done, start) + mark;
    done = end;
  }
  return result + text.slice(done);
}
