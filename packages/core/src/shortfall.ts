import type { DataDesignerError } from './errors.ts';
import type { CellValue } from './value.ts';

/**
 * A cell that failed and has something to write all the same: unless the column's `on_failure` says otherwise, the row
 * goes on with that, and the failure is told.
 */
export class Shortfall extends Error {
  override readonly name = 'Shortfall';
  readonly failure: DataDesignerError;
  /** Values of the written columns, in the order of `writes`. */
  readonly written: readonly CellValue[];

  constructor(failure: DataDesignerError, written: readonly CellValue[]) {
    super(failure.message, { cause: failure });
    this.failure = failure;
    this.written = written;
  }
}
