import type { DataDesignerError } from './errors.ts';
import type { CellValue } from './value.ts';

/**
 * A failed cell with a fallback value: unless the column sets `on_failure`, the row continues with that value and the run
 * reports the failure.
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
