import { useEffect, useMemo, useRef, useState } from 'react';
import type { Filter } from '../../../api/filter.ts';
import type { ColumnStats } from '../../../api/table.ts';
import { useSource } from '../../data/data-source.ts';

/** While a run adds rows, they are counted again at the earliest after this many times what the last count took. */
const REST = 20;

interface StatsOptions {
  readonly dataset: string;
  readonly version: string;
  readonly filter: Filter;
  readonly blocks: readonly (readonly string[])[];
}

/** The statistics of the columns in view within the filter; older ones stay until newer ones arrive. */
export function useColumnStats({ dataset, version, filter, blocks }: StatsOptions): ReadonlyMap<string, ColumnStats> {
  const source = useSource();
  const { sort: _, ...unsorted } = filter;
  const filterText = JSON.stringify(unsorted);
  const filterKey = `${dataset} ${filterText}`;
  const key = `${version} ${filterKey}`;
  const last = useRef({ filterKey: '', key: '', countAgainAt: 0 });
  const [found, setFound] = useState<{ readonly key: string; readonly stats: ReadonlyMap<string, ColumnStats> }>();
  const missing = useMemo(() => {
    const known = found?.key === key ? found.stats : undefined;
    return blocks.find((block) => block.some((name) => !known?.has(name)))?.join('\n');
  }, [blocks, found, key]);
  useEffect(() => {
    if (missing === undefined) return undefined;
    const abort = new AbortController();
    const request = { dataset, filter: JSON.parse(filterText), columns: missing.split('\n') };
    const count = (): void => {
      const begunAt = performance.now();
      source.ask('stats', request, abort.signal).then(
        ({ stats }) => {
          if (abort.signal.aborted) return;
          const now = performance.now();
          last.current = { filterKey, key, countAgainAt: now + REST * (now - begunAt) };
          setFound((old) => ({ key, stats: merged(old?.key === key ? old.stats : undefined, stats) }));
        },
        () => undefined, // The request of the rows tells why.
      );
    };
    const { current: before } = last;
    const isNewVersion = before.filterKey === filterKey && before.key !== key;
    const timer = setTimeout(count, isNewVersion ? before.countAgainAt - performance.now() : 0);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [source, dataset, filterText, filterKey, key, missing]);
  return found?.stats ?? NONE;
}

const NONE: ReadonlyMap<string, ColumnStats> = new Map();

function merged(
  known: ReadonlyMap<string, ColumnStats> | undefined,
  added: readonly ColumnStats[],
): ReadonlyMap<string, ColumnStats> {
  return new Map([...(known ?? []), ...added.map((stats) => [stats.column, stats] as const)]);
}
