import type { RowReview } from '@data-designer/core';

export type { RowReview } from '@data-designer/core';

/** The latest review of each row. */
export interface ReviewList {
  readonly reviews: readonly RowReview[];
}
