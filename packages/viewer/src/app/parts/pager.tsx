import type { ReactNode } from 'react';
import { withParams } from '../address.ts';
import { formatCount } from '../format.ts';
import { useAddress, useChangeParams } from '../use-address.ts';
import { useKeys } from '../use-keys.ts';

/** The first item of a list in pages, from the address. */
export function usePageFrom(): number {
  const { params } = useAddress();
  const from = Number(params.get('from') ?? 0);
  return Number.isSafeInteger(from) && from > 0 ? from : 0;
}

interface PagerProps {
  readonly from: number;
  readonly count: number;
  readonly total: number;
}

/** The buttons and keys of a list in pages. */
export function Pager({ from, count, total }: PagerProps): ReactNode {
  const change = useChangeParams();
  const move = (to: number): void => {
    if (to < total) change((params) => withParams(params, { from: to <= 0 ? undefined : String(to) }));
  };
  const last = Math.max(0, Math.ceil(total / count) - 1) * count;
  useKeys({ j: () => move(from + count), k: () => move(from - count), g: () => move(0), G: () => move(last) });
  if (total <= count) return null;
  return (
    <div className="row">
      <button type="button" disabled={from === 0} onClick={() => move(from - count)}>
        Previous
      </button>
      <button type="button" disabled={from + count >= total} onClick={() => move(from + count)}>
        Next
      </button>
      <span className="quiet">
        {formatCount(from + 1)} to {formatCount(Math.min(from + count, total))} of {formatCount(total)}
      </span>
    </div>
  );
}
