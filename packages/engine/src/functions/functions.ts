import { type Cell, DataDesignerError, type FunctionHandle, type FunctionUse } from '@data-designer/core';

/** The functions that a row group can call, in whichever thread they run. */
export interface Functions {
  /** Calls a function with plain data and returns plain data; rejects with `function/*` or the failure of a request it made. */
  call(handle: FunctionHandle, args: readonly unknown[], use?: FunctionUse): Promise<unknown>;
  /** Reports a remark about a column; the same remark is reported once per run. */
  note(column: string, message: string): void;
}

/** Calls a function of a row group; rejects with `function/unavailable` where the group has none. */
export async function callIn(
  functions: Functions | undefined,
  handle: FunctionHandle,
  [args, use]: readonly [args: readonly unknown[], use?: FunctionUse | undefined],
): Promise<unknown> {
  if (functions) return functions.call(handle, args, use);
  const reason = 'this row group has no functions';
  throw new DataDesignerError('function/unavailable', { function: handle.handle, reason });
}

/** A cell whose concurrent requests can be numbered apart. */
export interface BranchingCell extends Cell {
  /** The same cell with a range of call numbers of its own: concurrent requests get the same numbers in every run. */
  branch(): Cell;
}
