import type { CellValue } from './value.ts';

/** What a reviewer decided about a row. `edit` accepts the row with other values; a row with edits and no verdict is not accepted. */
export type ReviewVerdict = 'accept' | 'reject' | 'edit';

/** A person's review of a row, as `reviews.jsonl` in the dataset folder stores it. */
export interface Review {
  /** The position of the row in the dataset, from 0. */
  readonly row: number;
  /** The hash of the row that the reviewer saw. */
  readonly hash: string;
  /** Null if the reviewer has not decided. */
  readonly verdict: ReviewVerdict | null;
  /** From 1 (worst) to 5 (best), or null. */
  readonly rating: number | null;
  /** What the reviewer says of the row, or null. */
  readonly comment: string | null;
  /** New values by column; the files of the dataset keep the old ones. Null without an edit. */
  readonly edits: Readonly<Record<string, CellValue>> | null;
  /** The name of the reviewer; null if not given. */
  readonly author: string | null;
  /** ISO 8601, in UTC. */
  readonly time: string;
}

/** A review, and whether its row has changed since. */
export interface RowReview extends Review {
  /** Whether the row has other values than the reviewer saw; the review then has no effect. */
  readonly isStale: boolean;
}
