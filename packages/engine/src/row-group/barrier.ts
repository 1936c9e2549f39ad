import { type Cell, DataDesignerError, Shortfall, type WrittenValues, type WrittenRow } from '@data-designer/core';

/** Where the rows of one group wait for each other: a column that is made for all of them together. */
export class Barrier {
  readonly #make: (rows: readonly Cell[]) => Promise<readonly WrittenRow[]>;
  readonly #arrived: { cell: Cell; resolve: (written: WrittenValues) => void; reject: (failure: unknown) => void }[] =
    [];
  readonly #over = Promise.withResolvers<void>();
  #missing: number;
  #failure: Error | undefined;

  constructor(rows: number, make: (rows: readonly Cell[]) => Promise<readonly WrittenRow[]>) {
    this.#missing = rows;
    this.#make = make;
  }

  /** Waits with a row; resolves with its values once all other rows have arrived or left. */
  arrive(cell: Cell): Promise<WrittenValues> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#arrived.push({ cell, resolve, reject });
      this.leave();
    });
  }

  /** One row fewer to wait for. */
  leave(): void {
    if (--this.#missing === 0 && this.#arrived.length > 0) void this.#open();
  }

  /** Fails all rows, waiting and later ones: they will never all arrive. */
  abandon(failure: Error): void {
    this.#failure ??= failure;
    for (const { reject } of this.#arrived.splice(0)) reject(failure);
    this.#over.resolve();
  }

  /** Resolves once the work for all rows is over; undefined where the row does not wait here. */
  overFor(rowIndex: number): Promise<void> | undefined {
    return this.#arrived.some(({ cell }) => cell.rowIndex === rowIndex) ? this.#over.promise : undefined;
  }

  async #open(): Promise<void> {
    this.#arrived.sort((a, b) => a.cell.rowIndex - b.cell.rowIndex);
    try {
      const written = await this.#make(this.#arrived.map(({ cell }) => cell));
      this.#arrived.splice(0).forEach(({ resolve, reject }, index) => {
        const one = written[index] ?? [];
        if (one instanceof DataDesignerError || one instanceof Shortfall) reject(one);
        else resolve(one);
      });
    } catch (failure) {
      for (const { reject } of this.#arrived.splice(0)) reject(failure);
    }
    this.#over.resolve();
  }
}
