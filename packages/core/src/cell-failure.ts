import type { ExhaustedRows } from './attempt-counts.ts';
import type { OnFailure } from './column-type.ts';
import type { FailureCode } from './errors.ts';
import type { ChatMessage } from './message.ts';

/** A failed cell: its address, the failure, and the conversation up to it. */
export interface CellFailure {
  /** The row, counted from 0. */
  readonly row: number;
  /** The column of the cell. */
  readonly column: string;
  /** The error code. */
  readonly code: FailureCode;
  /** The message of the error. */
  readonly message: string;
  /** The column's `on_failure`. */
  readonly onFailure: OnFailure;
  /** The model conversation that ended in the failure; empty without one. */
  readonly messages: readonly ChatMessage[];
  /**
   * Only for a block of attempts without an accepted attempt: the reason, and the number of attempts that ended with a
   * failed cell.
   */
  readonly exhaustion?: Exhaustion;
}

/** Why none of a row's attempts was accepted. */
export interface Exhaustion extends Pick<ExhaustedRows, 'kind' | 'reason' | 'verdict'> {
  /** The attempts that ended with a failed cell. */
  readonly failedAttempts: number;
}

/** Cell counts of one column. */
export interface CellCounts {
  /** Finished cells, skipped ones included. */
  readonly made: number;
  /** Cells with a permanent failure. */
  readonly failed: number;
  /** Cells with a transient failure, such as an unavailable server. */
  readonly passing: number;
  /** How many of these do not count towards the end of a run, because another attempt stands for their row; absent without attempts. */
  readonly attempted?: Pick<CellCounts, 'made' | 'failed'>;
}

/** Rows lost for one reason in one column. */
export interface LostRows {
  /** Empty if no column caused the loss. */
  readonly column: string;
  readonly code: FailureCode;
  /** The message of the first failure. */
  readonly message: string;
  readonly rows: number;
}
