import type { FailedCell, RowGroup } from '@data-designer/core';

/** A row group that an earlier run has begun: plain data, as its maker gets it. */
export interface ResumedGroup extends RowGroup {
  /** The calls of cells that must not fail whose answers are in the group's journal, as `addressKey` writes them. */
  readonly keptCalls?: readonly string[];
  /** The cells that must not be made again: each fails as it says. */
  readonly failedCells?: readonly FailedCell[];
}
