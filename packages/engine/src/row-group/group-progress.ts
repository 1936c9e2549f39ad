import {
  type CellCounts,
  type DataDesignerError,
  isRetryable,
  type LostRows,
  type WireFailure,
} from '@data-designer/core';
import type { ToolCounts } from '@data-designer/mcp';
import type { ModelUsage } from '@data-designer/models';

/** How far a row group has come: plain data, all counts since it was begun, so that a later word replaces an earlier one. */
export interface GroupProgress {
  readonly group: number;
  readonly rows: number;
  readonly lost: number;
  /** Why rows are lost, the most frequent first; also of those that were lost before they opened. */
  readonly reasons: readonly LostRows[];
  readonly cells: Readonly<Record<string, CellCounts>>;
  readonly usage: Readonly<Record<string, ModelUsage>>;
  readonly tools: Readonly<Record<string, ToolCounts>>;
  /** A failure that every row would meet, once there is one: the run is to end. */
  readonly ends?: WireFailure | undefined;
}

/** How far a group has come is looked at from time to time, and at once where it tells itself. */
export interface GroupWatch extends Disposable {
  readonly tell: () => void;
}

/** Counts the rows and cells of one group while they flow; cells by the position of their column. */
export class GroupCount {
  readonly #columns: readonly string[];
  readonly #made: Float64Array;
  readonly #failed: Float64Array;
  readonly #passing: Float64Array;
  rows = 0;
  lost = 0;
  /** Rows that the end of the run has left as they were. */
  unfinished = 0;

  constructor(columns: readonly string[]) {
    this.#columns = columns;
    this.#made = new Float64Array(columns.length);
    this.#failed = new Float64Array(columns.length);
    this.#passing = new Float64Array(columns.length);
  }

  /** A cell stands. */
  addMade(column: number): void {
    this.#made[column] = (this.#made[column] as number) + 1;
  }

  /** A cell failed, whatever becomes of its row. */
  addFailed(column: number, { code }: DataDesignerError): void {
    const counts = isRetryable(code) ? this.#passing : this.#failed;
    counts[column] = (counts[column] as number) + 1;
  }

  /** The cells by column, as they are now. */
  cells(): Readonly<Record<string, CellCounts>> {
    const counts = this.#columns.map((name, index) => [
      name,
      {
        made: this.#made[index] as number,
        failed: this.#failed[index] as number,
        passing: this.#passing[index] as number,
      },
    ]);
    return Object.fromEntries(counts) as Record<string, CellCounts>;
  }
}
