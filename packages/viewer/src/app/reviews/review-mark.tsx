import type { ReactNode } from 'react';
import type { RowReview } from '../../api/reviews.ts';

/** The sign and the word of each verdict; new values have a mark of their own. */
export const VERDICTS = {
  accept: { sign: '✓', word: 'accepted' },
  reject: { sign: '✗', word: 'rejected' },
  edit: { sign: '✓', word: 'accepted' },
} as const;

/** The sign of new values. */
export const EDIT_SIGN = '✎';

/** What a review says, in a few words: `rejected, rated 2 of 5`. */
export function describeReview({ verdict, rating, comment, edits, isStale }: RowReview): string {
  const parts = [
    isStale ? 'stale: the row changed after this review' : '',
    verdict === null ? '' : VERDICTS[verdict].word,
    edits === null ? '' : 'edited',
    rating === null ? '' : `rated ${rating} of 5`,
    comment === null ? '' : 'commented',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** A sign for the review of a row, for the table. */
export function ReviewMark({ review }: { readonly review: RowReview }): ReactNode {
  const { verdict, edits, isStale } = review;
  const signs = `${verdict === null ? '' : VERDICTS[verdict].sign}${edits === null ? '' : EDIT_SIGN}`;
  const words = describeReview(review);
  return (
    <span className={`review-mark ${isStale ? 'warn' : (verdict ?? '')}`} title={words}>
      <span aria-hidden="true">{isStale ? '⚠' : signs || '•'}</span>
      <span className="sr-only"> {words}</span>
    </span>
  );
}
