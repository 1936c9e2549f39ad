import type { Cell, FunctionHandle, FunctionUse } from '@data-designer/core';

/** The functions that a row group can call, in whichever thread they run. */
export interface Functions {
  /** Calls a function with plain data and returns plain data; rejects with `function/*` or the failure of a request it made. */
  call(handle: FunctionHandle, args: readonly unknown[], use?: FunctionUse): Promise<unknown>;
  /** Reports a remark about a column; the same remark is reported once per run. */
  note(column: string, message: string): void;
}

/** A cell whose concurrent requests can be numbered apart. */
export interface BranchingCell extends Cell {
  /** The same cell with a range of call numbers of its own: concurrent requests get the same numbers in every run. */
  branch(): Cell;
}
