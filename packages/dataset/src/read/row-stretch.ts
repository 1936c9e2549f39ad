import type { PlainRow } from '../encode/decode-row.ts';

/** Rows that stand together in a file, such as a row group, and the position of the first of them. */
export interface RowStretch {
  readonly first: number;
  readonly rows: readonly PlainRow[];
}
