import type { RowReview } from '@data-designer/core';

/** The kinds of reviews by which rows are filtered. */
export const REVIEW_KINDS = ['accept', 'reject', 'edit', 'edit-only', 'reviewed', 'stale', 'none'] as const;

/** A kind of reviews by which rows are filtered. */
export type ReviewKind = (typeof REVIEW_KINDS)[number];

/** The words of each kind. */
export const KIND_WORDS: Readonly<Record<ReviewKind, string>> = {
  accept: 'accepted',
  reject: 'rejected',
  edit: 'edited',
  'edit-only': 'edited, without a verdict',
  reviewed: 'with a review',
  stale: 'with a stale review',
  none: 'without a review',
};

/** Whether a row with this review, or without one, is of a kind. `accept` has the rows of `export --accepted-only`. */
export function fitsReview(kind: ReviewKind, review: RowReview | undefined): boolean {
  if (kind === 'none') return review === undefined;
  if (review === undefined) return false;
  const { verdict, edits, isStale } = review;
  if (kind === 'reviewed' || isStale) return kind === 'reviewed' || kind === 'stale';
  if (kind === 'accept') return verdict === 'accept' || verdict === 'edit';
  if (kind === 'edit') return edits !== null;
  return kind === 'edit-only' ? edits !== null && verdict === null : kind === verdict;
}
