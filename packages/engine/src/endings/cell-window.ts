/** The share of all cells that a window holds at first, so that a burst of failures soon weighs little. */
const FIRST_SHARE = 0.5;
/** Up to this multiple of the minimum it grows by that share. */
const FIRST_GROWTH = 10;
/** The least share of all cells that it holds. */
const SHARE = 0.1;
/** About how many batches make up a window; it drops one at a time. */
const STEPS = 20;

interface Batch {
  cells: number;
  failed: number;
}

/**
 * The last cells of a column: at least the minimum, then half of all cells up to ten times the minimum, and always at
 * least a tenth of all cells.
 */
export class CellWindow {
  readonly #least: number;
  readonly #batches: Batch[] = [];
  #all = 0;
  /** The cells in the window. */
  cells = 0;
  /** Of these, the failed ones. */
  failed = 0;

  constructor(least: number) {
    this.#least = least;
  }

  /** Adds cells, of which some failed. */
  add(cells: number, failed: number): void {
    this.#all += cells;
    this.cells += cells;
    this.failed += failed;
    const size = sizeOf(this.#all, this.#least);
    const last = this.#batches.at(-1);
    // In a small window each cell matters, so batches are not combined.
    if (last && last.cells + cells <= size / STEPS) {
      last.cells += cells;
      last.failed += failed;
    } else this.#batches.push({ cells, failed });
    this.#forget(size);
  }

  #forget(size: number): void {
    for (let first = this.#batches[0]; first && this.cells - first.cells >= size; first = this.#batches[0]) {
      this.#batches.shift();
      this.cells -= first.cells;
      this.failed -= first.failed;
    }
  }
}

function sizeOf(all: number, least: number): number {
  return Math.max(least, Math.min(all * FIRST_SHARE, least * FIRST_GROWTH), all * SHARE);
}
