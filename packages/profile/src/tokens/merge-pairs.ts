import { NO_TOKEN, type Vocabulary } from './vocabulary.ts';

/** Pieces of up to this many bytes share one work space. */
const SHARED_BYTES = 1024;

/** The parts of a piece while pairs of them are merged. Each part is known by the position of its first byte. */
class Parts {
  /** The position of the part after each one; for the last part, the length of the piece. */
  readonly next: Int32Array;
  readonly previous: Int32Array;
  /** For each part, the rank of the token that it and the next part make up. */
  readonly #ranks: Int32Array;
  /** A binary tree of positions: the root at 1, the children of k at 2k and 2k + 1. A parent is the child of lower rank. */
  readonly #lowest: Int32Array;
  #leaves = 1;

  /** Has room for a piece of `bytes` bytes, a power of two. */
  constructor(bytes: number) {
    this.next = new Int32Array(bytes);
    this.previous = new Int32Array(bytes);
    this.#ranks = new Int32Array(bytes);
    this.#lowest = new Int32Array(2 * bytes);
  }

  /** Starts a piece, whose parts are its bytes; `rankOf` tells the rank of the pair at a position. */
  start(length: number, rankOf: (position: number) => number): void {
    const leaves = powerOfTwo(length);
    for (let position = 0; position < leaves; position++) {
      this.next[position] = position + 1;
      this.previous[position] = position - 1;
      this.#ranks[position] = position < length - 1 ? rankOf(position) : NO_TOKEN;
      this.#lowest[leaves + position] = position;
    }
    this.#leaves = leaves;
    for (let node = leaves - 1; node > 0; node--) this.#lowest[node] = this.#lower(node);
  }

  /** The position of the pair with the lowest rank, the first of equals; undefined if no pair is a token. */
  lowest(): number | undefined {
    const position = this.#lowest[1] ?? 0;
    return this.#ranks[position] === NO_TOKEN ? undefined : position;
  }

  /** Sets the rank of the pair at a position; `NO_TOKEN` also takes a part that is merged out of the tree. */
  setRank(position: number, rank: number): void {
    this.#ranks[position] = rank;
    for (let node = (this.#leaves + position) >> 1; node > 0; node >>= 1) {
      const before = this.#lowest[node];
      const lower = this.#lower(node);
      // The same other pair as before, so nothing changes above.
      if (lower === before && lower !== position) return;
      this.#lowest[node] = lower;
    }
  }

  #lower(node: number): number {
    const left = this.#lowest[2 * node] ?? 0;
    const right = this.#lowest[2 * node + 1] ?? 0;
    return (this.#ranks[right] ?? 0) < (this.#ranks[left] ?? 0) ? right : left;
  }
}

function powerOfTwo(least: number): number {
  return 2 ** Math.ceil(Math.log2(least));
}

const shared = new Parts(SHARED_BYTES);

/**
 * Counts the tokens of the bytes from `start` to `end`, which are one piece of a text: as long as two neighbours make up a
 * token, the pair with the lowest rank becomes one part. Takes O(n log n) time for n bytes.
 */
export function countMerged(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  [start, end]: readonly [number, number],
): number {
  const length = end - start;
  const parts = length <= SHARED_BYTES ? shared : new Parts(powerOfTwo(length));
  const { next, previous } = parts;
  /** The rank of the token from a position up to another. */
  const rankOf = (from: number, to: number): number => vocabulary.rankOf(bytes, start + from, start + to);
  parts.start(length, (position) => rankOf(position, position + 2));
  let count = length;
  for (let at = parts.lowest(); at !== undefined; at = parts.lowest()) {
    const merged = next[at] ?? length;
    const after = next[merged] ?? length;
    next[at] = after;
    if (after < length) previous[after] = at;
    parts.setRank(merged, NO_TOKEN);
    parts.setRank(at, after < length ? rankOf(at, next[after] ?? length) : NO_TOKEN);
    if (at > 0) parts.setRank(previous[at] ?? 0, rankOf(previous[at] ?? 0, after));
    count--;
  }
  return count;
}
