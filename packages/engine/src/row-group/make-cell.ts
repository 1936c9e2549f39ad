import { DataDesignerError, type Written } from '@data-designer/core';
import { addressKey } from '@data-designer/gateway';
import { endsRun } from './failure-scope.ts';
import type { RowCell } from './row-cell.ts';

/** How a cell is made, and which of its calls an earlier run has answers to. */
export interface CellMaking {
  readonly make: (cell: RowCell) => Written | Promise<Written>;
  /** The cell, its calls counted from a number on. */
  readonly open: (firstCall: number) => RowCell;
  /** Calls by `addressKey` whose answers were in the journal when the run began; none of cells that may fail. */
  readonly kept: ReadonlySet<string>;
}

/**
 * Makes a cell. One that ended an earlier run with an answer that is kept would end this one in the same way: it is
 * asked anew, its calls counted on from there, so that a later run finds both conversations in the journal. It fails
 * for good once its last call was made in this run.
 */
export async function makeCell({ make, open, kept }: CellMaking): Promise<Written> {
  for (let firstCall = 0; ;) {
    const cell = open(firstCall);
    try {
      return await make(cell);
    } catch (thrown) {
      const last = cell.lastCall;
      if (!last || !kept.has(addressKey(last)) || endsRun(DataDesignerError.fromUnknown(thrown))) throw thrown;
      firstCall = last.call + 1;
    }
  }
}
