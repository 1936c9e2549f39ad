import type { ReactNode } from 'react';
import type { Filter } from '../../api/filter.ts';

type Review = Filter['review'];

const CHOICES: readonly (readonly [value: NonNullable<Review>, label: string])[] = [
  ['accept', 'accepted'],
  ['edit', 'edited'],
  ['reject', 'rejected'],
  ['reviewed', 'with a review'],
  ['stale', 'with a stale review'],
  ['none', 'without a review'],
];

interface FilterProps {
  readonly value: Review;
  readonly onChange: (review: Review) => void;
}

/** Chooses rows by their review. */
export function ReviewFilter({ value, onChange }: FilterProps): ReactNode {
  return (
    <select
      aria-label="Rows by review"
      value={value ?? ''}
      onChange={({ target }) => onChange(CHOICES.find(([name]) => name === target.value)?.[0])}
    >
      <option value="">all rows</option>
      {CHOICES.map(([name, label]) => (
        <option key={name} value={name}>
          {label}
        </option>
      ))}
    </select>
  );
}
