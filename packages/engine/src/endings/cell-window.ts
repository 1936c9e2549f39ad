/** The part of all cells so far that a window holds at first: a burst of failures is little of it soon. */
const FIRST_SHARE = 0.5;
/** So many times the least of cells it grows in this way. */
const FIRST_GROWTH = 10;
/** The part of all cells that it holds at least. */
const SHARE = 0.1;
/** Batches that a window is cut into, about: it forgets in steps of so small a part of itself. */
const STEPS = 20;

interface Batch {
  cells: number;
  failed: number;
}

/**
 * The last cells of a column: as many as are asked for at the start, then half of all there were until that is ten times
 * as many, and a tenth of all at any time.
 */
export class CellWindow {
  readonly #least: number;
  readonly #batches: Batch[] = [];
  #all = 0;
  #cells = 0;
  #failed = 0;

  constructor(least: number) {
    this.#least = least;
  }

  /** The cells in the window; at least as many as it shall hold once there were as many. */
  get cells(): number {
    return this.#cells;
  }

  /** Those of them that failed. */
  get failed(): number {
    return this.#failed;
  }

  /** Takes in the next cells, of which so many failed. */
  add(cells: number, failed: number): void {
    this.#all += cells;
    this.#cells += cells;
    this.#failed += failed;
    const size = sizeOf(this.#all, this.#least);
    const last = this.#batches.at(-1);
    // In a small window a cell counts: there every batch stays as it came.
    if (last && last.cells + cells <= size / STEPS) {
      last.cells += cells;
      last.failed += failed;
    } else this.#batches.push({ cells, failed });
    this.#forget(size);
  }

  #forget(size: number): void {
    for (let first = this.#batches[0]; first && this.#cells - first.cells >= size; first = this.#batches[0]) {
      this.#batches.shift();
      this.#cells -= first.cells;
      this.#failed -= first.failed;
    }
  }
}

function sizeOf(all: number, least: number): number {
  return Math.max(least, Math.min(all * FIRST_SHARE, least * FIRST_GROWTH), all * SHARE);
}
