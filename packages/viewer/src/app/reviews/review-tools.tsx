import type { ReactNode } from 'react';
import { useSource } from '../data/data-source.ts';
import { pluralize } from '../format.ts';
import { useKeys } from '../use-keys.ts';
import type { Decision, ReviewStore } from './review-store.ts';

interface ToolsProps {
  readonly reviews: ReviewStore;
  /** The marked rows, else the current one. */
  readonly indexes: readonly number[];
  readonly marked: number;
  /** Moves to the row after the current one. */
  readonly onNext: () => void;
  /** Whether the rows were out of view; keys bring them into view first. */
  readonly isHidden: () => boolean;
}

/** Buttons and keys that accept or reject the marked rows, or the current one. */
export function ReviewTools({ reviews, indexes, marked, onNext, isHidden }: ToolsProps): ReactNode {
  const { canReview } = useSource();
  const decide = (verdict: Decision, goesOn: boolean): void => {
    reviews.decide(indexes, verdict);
    if (goesOn && marked === 0 && indexes.length > 0) onNext();
  };
  const accept = (): void => decide('accept', false);
  const reject = (): void => decide('reject', false);
  const onKey = (verdict: Decision, goesOn: boolean) => (): void => {
    if (!isHidden()) decide(verdict, goesOn);
  };
  useKeys(
    canReview
      ? { a: onKey('accept', true), A: onKey('accept', false), r: onKey('reject', true), R: onKey('reject', false) }
      : {},
  );
  if (!canReview) return null;
  const rows = marked > 0 ? pluralize(indexes.length, 'marked row') : 'row';
  return (
    <>
      <button type="button" onClick={accept} disabled={indexes.length === 0} title="a">
        Accept {rows}
      </button>
      <button type="button" onClick={reject} disabled={indexes.length === 0} title="r">
        Reject {rows}
      </button>
    </>
  );
}
