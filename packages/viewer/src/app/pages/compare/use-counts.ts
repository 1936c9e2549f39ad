import { useState } from 'react';
import type { CompareCounts } from '../../../api/compare.ts';
import { useSource } from '../../data/data-source.ts';
import { useData } from '../../data/use-data.ts';
import { addCounts } from './add-counts.ts';

interface CountedRows {
  readonly left: string;
  readonly right: string;
  /** Changes with the rows; a count goes on to its end before it begins anew. */
  readonly version: string;
  readonly isWanted: boolean;
}

/** The changes in all rows of two datasets, which are counted some thousands at a time; undefined before the first ones. */
export function useCounts({ left, right, version, isWanted }: CountedRows): {
  readonly counts: CompareCounts | undefined;
  readonly error: string | undefined;
} {
  const source = useSource();
  const pair = JSON.stringify([left, right]);
  const [begun, setBegun] = useState({ pair, version });
  const [counted, setCounted] = useState<CountedPair>();
  const own = counted?.pair === pair ? counted : undefined;
  const isOver = own?.version === begun.version && own.counts.next === null;
  if (begun.pair !== pair || (isOver && begun.version !== version)) setBegun({ pair, version });
  const { error } = useData(isWanted ? `${pair} ${begun.version}` : undefined, async (signal) => {
    let sum: CompareCounts | undefined;
    let from: number | null = 0;
    while (from !== null) {
      const part: CompareCounts = await source.ask('compare-counts', { left, right, from }, signal);
      signal.throwIfAborted();
      const counts: CompareCounts = sum ? addCounts(sum, part) : part;
      // Counts of all rows stay until they are counted again.
      if (own?.counts.next !== null || counts.next === null) setCounted({ pair, version: begun.version, counts });
      sum = counts;
      from = counts.next;
    }
    return sum;
  });
  return { counts: own?.counts, error };
}

interface CountedPair {
  readonly pair: string;
  readonly version: string;
  readonly counts: CompareCounts;
}
