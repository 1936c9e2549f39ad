import { setImmediate } from 'node:timers/promises';

/** A cell by the index of its row in the run. */
export interface SoloCell {
  readonly row: number;
  readonly column: string;
}

/**
 * Makes cells one at a time and notes each while it is made, so that one that ends or blocks the thread is known
 * afterwards. The event loop turns between two cells: a thread that shows no sign of life is blocked by the noted one.
 */
export class SoloCells {
  /** The only row that is made, where there is one. */
  readonly row: number | undefined;
  readonly #note: (cell: SoloCell | undefined) => void;
  #last: Promise<unknown> = Promise.resolve();

  constructor(note: (cell: SoloCell | undefined) => void, row?: number) {
    this.#note = note;
    this.row = row;
  }

  /** Makes a cell once the one before is made; without a cell, what is made for all rows together and cannot be noted. */
  make<Made>(cell: SoloCell | undefined, work: () => Made | Promise<Made>): Promise<Made> {
    const made = this.#last.then(async () => {
      await setImmediate();
      this.#note(cell);
      try {
        return await work();
      } finally {
        this.#note(undefined);
      }
    });
    this.#last = made.catch(() => {});
    return made;
  }
}
