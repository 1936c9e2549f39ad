import type { Review, RowReview } from '@data-designer/core';
import type { DatasetRequest } from './datasets.ts';

export type { RowReview } from '@data-designer/core';

/** The latest review of each row. */
export interface ReviewList {
  readonly reviews: readonly RowReview[];
}

/** A review to keep; it replaces the earlier one of its row. */
export interface ReviewRequest extends DatasetRequest {
  readonly review: Omit<Review, 'author' | 'time'>;
}
