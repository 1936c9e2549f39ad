import type { Cell, FunctionHandle, FunctionUse } from '@data-designer/core';

/** The functions that a row group may call, wherever they run. */
export interface Functions {
  /** Calls a function with plain data and gives plain data; rejects with `function/*`, or the failure of what it asked. */
  call(handle: FunctionHandle, args: readonly unknown[], use?: FunctionUse): Promise<unknown>;
  /** Says something about a column that is no failure; the same is told once a run. */
  note(column: string, message: string): void;
}

/** A cell that can be given calls of numbers of their own. */
export interface BranchingCell extends Cell {
  /**
   * The same cell with calls of its own numbers: what is asked side by side is then numbered alike, whoever is answered
   * first.
   */
  branch(): Cell;
}
