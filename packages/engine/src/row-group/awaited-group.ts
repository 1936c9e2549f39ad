/** The value of `AwaitedGroup` while nobody reads rows. */
export const NOBODY = -1;

/** The number of the row group whose rows a reader waits for, shared with all threads: a reader may come at any time. */
export type AwaitedGroup = Int32Array<SharedArrayBuffer>;

/** Whether anybody reads rows now. */
export function isAwaited(readers: { readonly awaited: AwaitedGroup } | undefined): boolean {
  return readers !== undefined && Atomics.load(readers.awaited, 0) !== NOBODY;
}

/** Finished rows of an open row group, in order: all earlier rows of the group are finished or lost. */
export interface FinishedRows {
  readonly group: number;
  /** The index in the run of each row. */
  readonly indexes: readonly number[];
  /** The rows as an Arrow IPC stream. */
  readonly bytes: Uint8Array;
}

/** A thread's finished rows on their way to the host. */
export interface RowsMessage {
  readonly kind: 'rows';
  readonly run: string;
  readonly rows: FinishedRows;
}

/** Where the finished rows of one row group go while the group is open. */
export interface RowReaders {
  readonly awaited: AwaitedGroup;
  readonly send: (rows: FinishedRows) => void;
}

/** How a row of a group ended: `unfinished` where the end of the run left it for a later one. */
export type RowEnd = 'made' | 'lost' | 'unfinished';
