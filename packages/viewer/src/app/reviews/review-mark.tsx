import type { ReactNode } from 'react';
import type { RowReview } from '../../api/reviews.ts';

const SIGNS = { accept: '✓', reject: '✗', edit: '✎' } as const;
const WORDS = { accept: 'accepted', reject: 'rejected', edit: 'edited' } as const;

/** What a review says, in a few words: `rejected, rated 2 of 5`. */
export function describeReview({ verdict, rating, comment, isStale }: RowReview): string {
  const parts = [
    isStale ? 'stale: the row changed after this review' : '',
    verdict === null ? '' : WORDS[verdict],
    rating === null ? '' : `rated ${rating} of 5`,
    comment === null ? '' : 'commented',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** A sign for the review of a row, for the table. */
export function ReviewMark({ review }: { readonly review: RowReview }): ReactNode {
  const { verdict, isStale } = review;
  const words = describeReview(review);
  return (
    <span className={`review-mark ${isStale ? 'warn' : (verdict ?? '')}`} title={words}>
      <span aria-hidden="true">{isStale ? '⚠' : verdict === null ? '•' : SIGNS[verdict]}</span>
      <span className="sr-only"> {words}</span>
    </span>
  );
}
