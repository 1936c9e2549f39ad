import { type CellCounts, type CellFailure, DataDesignerError } from '@data-designer/core';
import { failsAgain } from '../fails-again.ts';
import type { GroupProgress } from '../row-group/group-progress.ts';
import type { RowGroupResult } from '../row-group/row-group-result.ts';
import { CellWindow } from './cell-window.ts';

/** The share of failed cells that ends a run. */
export interface ErrorRateLimit {
  /** The share of cells of one column that may fail, above 0 and below 1. */
  readonly rate: number;
  /** The minimum of cells to judge. */
  readonly window: number;
}

/** Cells that count towards the end of a run. */
type SettledCells = Pick<CellCounts, 'made' | 'failed'>;

/** The cell counts of a group, with `failures` once it has ended. */
type GroupCells = Pick<GroupProgress, 'group' | 'cells'> & Partial<Pick<RowGroupResult, 'failures'>>;

/**
 * Watches the share of failed cells by column, over the last cells and without failures that may pass. Reports carry
 * totals, so new cells are the difference to the last report.
 */
export class ErrorRate {
  readonly #limit: ErrorRateLimit;
  readonly #known = new Map<number, Map<string, SettledCells>>();
  readonly #windows = new Map<string, CellWindow>();
  /** The first failure of each column. */
  readonly #causes = new Map<string, Pick<CellFailure, 'code' | 'message'>>();
  #exceeded: string | undefined;

  constructor(limit: ErrorRateLimit, known: Iterable<readonly [number, Pick<GroupProgress, 'cells'>]> = []) {
    this.#limit = limit;
    // Unfinished groups of an earlier run are replayed, failures included: they count once.
    for (const [group, { cells }] of known) {
      const settled = Object.entries(cells).map(([column, counts]) => [column, settledOf(counts)] as const);
      this.#known.set(group, new Map(settled));
    }
  }

  /** Counts a group's report; returns whether too many cells of a column have failed. */
  take({ group, cells, failures = [] }: GroupCells): boolean {
    for (const { column, code, message } of failures) {
      if (!this.#causes.has(column)) this.#causes.set(column, { code, message: message.split('\n', 1).join() });
    }
    for (const [column, counts] of Object.entries(cells)) this.#add(column, this.#news(group, column, counts));
    return this.#exceeded !== undefined;
  }

  /** Forgets the counts of a group that has ended. */
  forget(group: number): void {
    this.#known.delete(group);
  }

  /** The failure of the run: `run/stopped-early`. */
  failure(): DataDesignerError {
    const column = this.#exceeded ?? '';
    const { cells = 0, failed = 0 } = this.#windows.get(column) ?? {};
    const { code, message: cause = '' } = this.#causes.get(column) ?? {};
    return new DataDesignerError('run/stopped-early', {
      column,
      failed,
      cells,
      cause,
      ...(code && { code }),
      ...(failsAgain(code) && { failsAgain: true as const }),
    });
  }

  /** The new cells in a report. A group that lost its worker begins again and reports nothing new until it catches up. */
  #news(group: number, column: string, counts: CellCounts): SettledCells {
    const groupCells = this.#known.get(group) ?? new Map<string, SettledCells>();
    const before = groupCells.get(column) ?? { made: 0, failed: 0 };
    const { made, failed } = settledOf(counts);
    const now = { made: Math.max(made, before.made), failed: Math.max(failed, before.failed) };
    this.#known.set(group, groupCells.set(column, now));
    return { made: now.made - before.made, failed: now.failed - before.failed };
  }

  #add(column: string, { made, failed }: SettledCells): void {
    if (made + failed === 0 || this.#exceeded !== undefined) return;
    const { window: least } = this.#limit;
    const window = this.#windows.get(column) ?? new CellWindow(least);
    this.#windows.set(column, window);
    window.add(made + failed, failed);
    if (window.failed > 0 && window.cells >= least && window.failed >= this.#bound(window)) this.#exceeded = column;
  }

  /**
   * The number of failures that is too many. Few cells may fail by chance, so the bound exceeds the rate by a margin that
   * shrinks with the square root of the number of cells.
   */
  #bound({ cells }: CellWindow): number {
    const { rate, window: least } = this.#limit;
    return cells * (rate + Math.min(rate, 1 - rate) * Math.sqrt(least / cells));
  }
}

/** Without the attempts that another attempt, or none so far, stands for. */
function settledOf({ made, failed, attempted }: CellCounts): SettledCells {
  return attempted ? { made: made - attempted.made, failed: failed - attempted.failed } : { made, failed };
}
