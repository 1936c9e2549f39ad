import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { RunState } from '../../api/overview.ts';
import { useDataset } from '../data/use-dataset.tsx';
import { formatCount } from '../format.ts';

const STATES: Readonly<Record<RunState, readonly [className: string, text: string]>> = {
  running: ['state-running', 'running'],
  finished: ['state-done', 'finished'],
  unfinished: ['state-done', 'unfinished'],
  dead: ['state-dead', 'stopped without finishing'],
};

/** A screen reader hears of changes at most this often. */
const SPOKEN_MS = 10_000;

/** The state of the run and its rows, in the head of every page. */
export function RunStateMark(): ReactNode {
  const { overview, isConnected } = useDataset();
  const { state, rows, wanted } = overview;
  const [className, text] = STATES[state];
  const count = rows === wanted ? formatCount(rows) : `${formatCount(rows)} of ${formatCount(wanted)}`;
  const shown = `${text}, ${count} rows`;
  const spoken = useSlow(isConnected ? shown : 'The server does not answer.');
  return (
    <>
      <span className={isConnected ? className : 'state-dead'} data-state={state}>
        {isConnected ? shown : 'no connection to the server'}
      </span>
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
