import type { OnFailure } from './column-type.ts';
import type { FailureCode } from './errors.ts';
import type { ChatMessage } from './message.ts';

/** A cell that could not be made: where, why, and what was said until then. */
export interface CellFailure {
  readonly row: number;
  readonly column: string;
  readonly code: FailureCode;
  readonly message: string;
  /** What its column does with the row then. */
  readonly onFailure: OnFailure;
  /** The conversation with the model that ended in it; empty where there was none. */
  readonly messages: readonly ChatMessage[];
}

/** What became of the cells of one column. */
export interface CellCounts {
  /** Cells that stand, those left out by a skip rule included. */
  readonly made: number;
  /** Cells that failed for a reason of their own. */
  readonly failed: number;
  /** Cells that failed for what may pass, such as a server that is down. */
  readonly passing: number;
}

/** Rows lost for one reason in one column. */
export interface LostRows {
  /** Empty where no column is to blame. */
  readonly column: string;
  readonly code: FailureCode;
  /** The first one's words. */
  readonly message: string;
  readonly rows: number;
}
