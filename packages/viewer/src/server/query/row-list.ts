/** The rows of a filter in their order, as positions in the dataset. */
export class RowList {
  /** The version of the rows that it holds. */
  readonly version: string;
  readonly total: number;
  readonly #positions: Uint32Array | undefined;
  readonly #isSorted: boolean;

  /** All rows in their order without `positions`. */
  constructor(version: string, rows: number | Uint32Array, isSorted = true) {
    this.version = version;
    this.#isSorted = isSorted;
    this.#positions = typeof rows === 'number' ? undefined : rows;
    this.total = typeof rows === 'number' ? rows : rows.length;
  }

  /** The row at a place of the list; undefined beyond its end. */
  at(place: number): number | undefined {
    if (place < 0 || place >= this.total) return undefined;
    return this.#positions ? this.#positions[place] : place;
  }

  /** The rows from one place up to another. */
  slice(from: number, to: number): readonly number[] {
    const end = Math.min(to, this.total);
    return Array.from({ length: Math.max(0, end - from) }, (_, index) => this.at(from + index) ?? 0);
  }

  /** The place of a row; null where the list does not have it. */
  placeOf(position: number): number | null {
    const positions = this.#positions;
    if (!positions) return position < this.total ? position : null;
    const found = this.#isSorted ? searched(positions, position) : positions.indexOf(position);
    return found === -1 ? null : found;
  }
}

function searched(sorted: Uint32Array, wanted: number): number {
  let [low, high] = [0, sorted.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = sorted[middle] ?? 0;
    if (found === wanted) return middle;
    if (found < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
