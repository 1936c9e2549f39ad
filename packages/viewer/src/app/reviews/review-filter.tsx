import type { ReactNode } from 'react';
import { fitsReview, KIND_WORDS, REVIEW_KINDS, type ReviewKind } from '../../review-kinds.ts';
import { formatCount } from '../format.ts';
import { useReviews } from './use-reviews.tsx';

interface FilterProps {
  readonly value: ReviewKind | undefined;
  readonly onChange: (review: ReviewKind | undefined) => void;
}

/** Chooses rows by their review; each kind has the number of its rows. */
export function ReviewFilter({ value, onChange }: FilterProps): ReactNode {
  const reviews = [...useReviews().byRow.values()];
  const labelOf = (kind: ReviewKind): string => {
    const count = reviews.filter((review) => fitsReview(kind, review)).length;
    return kind === 'none' ? KIND_WORDS[kind] : `${KIND_WORDS[kind]} (${formatCount(count)})`;
  };
  return (
    <select
      aria-label="Rows by review"
      value={value ?? ''}
      onChange={({ target }) => onChange(REVIEW_KINDS.find((kind) => kind === target.value))}
    >
      <option value="">all rows</option>
      {REVIEW_KINDS.map((kind) => (
        <option key={kind} value={kind}>
          {labelOf(kind)}
        </option>
      ))}
    </select>
  );
}
