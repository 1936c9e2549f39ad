import { setImmediate } from 'node:timers/promises';

/** A cell by the index of its row in the run. */
export interface SerialCell {
  readonly row: number;
  readonly column: string;
  /** As in `FailedCell`. */
  readonly attempt?: number | undefined;
}

/**
 * Makes cells one at a time and notes the current one, so that a cell that ends or blocks its thread is known afterwards.
 * The event loop turns between two cells, so a thread without heartbeats is blocked by the noted cell.
 */
export class SerialCells {
  /** The only row to make; undefined for all rows. */
  readonly row: number | undefined;
  readonly #note: (cell: SerialCell | undefined) => void;
  #last: Promise<unknown> = Promise.resolve();

  constructor(note: (cell: SerialCell | undefined) => void, row?: number) {
    this.#note = note;
    this.row = row;
  }

  /** Runs the work once the previous cell is made; pass no cell for work that covers all rows and cannot be noted. */
  make<Made>(cell: SerialCell | undefined, work: () => Made | Promise<Made>): Promise<Made> {
    const made = this.#last.then(async () => {
      await setImmediate();
      this.#note(cell);
      try {
        return await work();
      } finally {
        // A rejection that a function left unhandled ends the thread once its cell has been made.
        await setImmediate();
        this.#note(undefined);
      }
    });
    this.#last = made.catch(() => {});
    return made;
  }
}
