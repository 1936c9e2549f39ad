import {
  type AttemptsByBlock,
  type CellCounts,
  type DataDesignerError,
  isRetryable,
  type LostRows,
  type WireFailure,
} from '@data-designer/core';
import type { ToolCounts } from '@data-designer/mcp';
import type { ModelUsage } from '@data-designer/models';
import type { ColumnCalls } from './cell-calls.ts';

/** Progress of one row group as plain data. Counts are totals since the group began, so a later sample replaces an earlier one. */
export interface GroupProgress {
  readonly group: number;
  /** Finished rows. */
  readonly rows: number;
  readonly lost: number;
  /** Why rows were lost, the most frequent first; includes rows lost while local columns were filled. */
  readonly reasons: readonly LostRows[];
  /** Counts of the cells that are made row by row, by column. */
  readonly cells: Readonly<Record<string, CellCounts>>;
  /** Requests to models that are open now, by column. */
  readonly inFlight: Readonly<Record<string, number>>;
  /** The calls of cells, by column; without the columns of attempts, and those that are made for all rows together. */
  readonly calls?: Readonly<Record<string, ColumnCalls>>;
  readonly usage: Readonly<Record<string, ModelUsage>>;
  readonly tools: Readonly<Record<string, ToolCounts>>;
  /** The attempts at rows, by block; absent without any. */
  readonly attempts?: AttemptsByBlock;
  /** The failure that every row would meet, once there is one: it ends the run and leaves rows unfinished. */
  readonly fatal?: WireFailure | undefined;
}

/** A group whose progress is sampled from time to time; `report` sends a sample at once. */
export interface GroupWatch extends Disposable {
  readonly report: () => void;
}

/** The columns, by position, whose cells an attempt has made, and those at which it has failed. */
export interface AttemptedCells {
  readonly made: number[];
  readonly failed: number[];
}

/** Counts the rows and cells of one group while they are made; cells by the position of their column. */
export class GroupCounter {
  readonly #counts: readonly {
    readonly column: string;
    readonly cells: Record<Exclude<keyof CellCounts, 'attempted'>, number>;
    /** Cells of attempts that stand for no row; undefined before the first attempt. */
    attempted?: { made: number; failed: number };
  }[];
  rows = 0;
  lost = 0;
  /** Rows lost to requests that failed although their endpoint answered others. */
  lostAlone = 0;
  /** Rows that the end of the run left unfinished. */
  unfinished = 0;

  constructor(columns: readonly string[]) {
    this.#counts = columns.map((column) => ({ column, cells: { made: 0, failed: 0, passing: 0 } }));
  }

  /** Counts a finished cell; one of an attempt counts towards the end of a run once the attempt stands for its row. */
  addMade(column: number, attempt?: AttemptedCells): void {
    const counts = this.#counts[column];
    if (!counts) return;
    counts.cells.made++;
    if (!attempt) return;
    attempt.made.push(column);
    (counts.attempted ??= { made: 0, failed: 0 }).made++;
  }

  /** Counts a failed cell, whether its row is lost or not; those of attempts as `addMade` does. */
  addFailed(column: number, { code }: DataDesignerError, attempt?: AttemptedCells): void {
    const counts = this.#counts[column];
    if (!counts) return;
    if (isRetryable(code)) {
      counts.cells.passing++;
      return;
    }
    counts.cells.failed++;
    if (!attempt) return;
    attempt.failed.push(column);
    (counts.attempted ??= { made: 0, failed: 0 }).failed++;
  }

  /** An attempt stands for its row, so that its cells count like those of other columns. */
  settle(attempt: AttemptedCells): void {
    for (const key of ['made', 'failed'] as const) {
      for (const column of attempt[key]) {
        const { attempted } = this.#counts[column] ?? {};
        if (attempted) attempted[key]--;
      }
    }
  }

  /** The current counts by column. */
  cells(): Readonly<Record<string, CellCounts>> {
    return Object.fromEntries(
      this.#counts.map(({ column, cells, attempted }) => [
        column,
        { ...cells, ...(attempted && { attempted: { ...attempted } }) },
      ]),
    );
  }
}
