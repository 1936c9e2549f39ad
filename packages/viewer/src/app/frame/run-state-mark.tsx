import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useDataset } from '../data/use-dataset.tsx';
import { formatCount, pluralize } from '../format.ts';
import { describeRunState } from '../parts/run-states.ts';

/** A screen reader hears of changes at most this often. */
const SPOKEN_MS = 10_000;

/** The state of the run and its rows, in the head of every page. */
export function RunStateMark(): ReactNode {
  const { overview, isConnected } = useDataset();
  const { state, rows: readable, wanted, progress } = overview;
  // Of a run at work the rows that are made count, as on every page; the table has them once their row group is written.
  const rows = state === 'running' ? (progress?.rows.done ?? readable) : readable;
  const [className, text] = describeRunState({ state, rows });
  const count = rows === wanted ? '' : `${formatCount(rows)} of `;
  const shown = `${text}, ${count}${pluralize(wanted, 'row')}`;
  const spoken = useSlow(isConnected ? shown : 'The server does not answer.');
  return (
    <>
      <span className={isConnected ? className : 'state-dead'} data-state={state}>
        {isConnected ? shown : 'no connection to the server'}
      </span>
      {!isConnected && (
        <button type="button" onClick={() => location.reload()}>
          Connect again
        </button>
      )}
      <output className="sr-only">{spoken}</output>
    </>
  );
}

/** A text that follows another one with at most one change in ten seconds. */
function useSlow(text: string): string {
  const [slow, setSlow] = useState(text);
  const changedAt = useRef(0);
  useEffect(() => {
    if (text === slow) return undefined;
    const change = (): void => {
      changedAt.current = Date.now();
      setSlow(text);
    };
    const soon = setTimeout(change, Math.max(0, changedAt.current + SPOKEN_MS - Date.now()));
    return () => clearTimeout(soon);
  }, [text, slow]);
  return slow;
}
