import type { ReactNode } from 'react';
import { useSource } from '../data/data-source.ts';
import { pluralize } from '../format.ts';
import { useKeys } from '../use-keys.ts';
import type { Reviews } from './use-reviews.ts';

interface ToolsProps {
  readonly reviews: Reviews;
  /** The marked rows, else the current one. */
  readonly indexes: readonly number[];
  readonly marked: number;
}

/** Buttons and keys that accept or reject the marked rows, or the current one. */
export function ReviewTools({ reviews, indexes, marked }: ToolsProps): ReactNode {
  const { canReview } = useSource();
  const accept = (): void => reviews.decide(indexes, 'accept');
  const reject = (): void => reviews.decide(indexes, 'reject');
  useKeys(canReview ? { a: accept, r: reject } : {});
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
