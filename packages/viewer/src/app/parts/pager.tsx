import type { ReactNode } from 'react';
import { formatCount } from '../format.ts';

interface PagerProps {
  readonly from: number;
  readonly count: number;
  readonly total: number;
  readonly onMove: (from: number) => void;
}

/** The buttons of a list in pages. */
export function Pager({ from, count, total, onMove }: PagerProps): ReactNode {
  if (total <= count) return null;
  return (
    <div className="row">
      <button type="button" disabled={from === 0} onClick={() => onMove(Math.max(0, from - count))}>
        Previous
      </button>
      <span className="quiet">
        {formatCount(from + 1)} to {formatCount(Math.min(from + count, total))} of {formatCount(total)}
      </span>
      <button type="button" disabled={from + count >= total} onClick={() => onMove(from + count)}>
        Next
      </button>
    </div>
  );
}
