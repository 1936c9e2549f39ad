import { useEffect, useMemo, useState } from 'react';
import type { Filter } from '../../../api/filter.ts';
import type { ColumnStats } from '../../../api/table.ts';
import { useSource } from '../../data/data-source.ts';

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
  const key = `${dataset} ${version} ${filterText}`;
  const [found, setFound] = useState<{ readonly key: string; readonly stats: ReadonlyMap<string, ColumnStats> }>();
  const missing = useMemo(() => {
    const known = found?.key === key ? found.stats : undefined;
    return blocks.find((block) => block.some((name) => !known?.has(name)))?.join('\n');
  }, [blocks, found, key]);
  useEffect(() => {
    if (missing === undefined) return undefined;
    const abort = new AbortController();
    const request = { dataset, filter: JSON.parse(filterText), columns: missing.split('\n') };
    source.ask('stats', request, abort.signal).then(
      ({ stats }) => {
        if (abort.signal.aborted) return;
        setFound((old) => ({ key, stats: merged(old?.key === key ? old.stats : undefined, stats) }));
      },
      () => undefined, // The request of the rows tells why.
    );
    return () => abort.abort();
  }, [source, dataset, filterText, key, missing]);
  return found?.stats ?? NONE;
}

const NONE: ReadonlyMap<string, ColumnStats> = new Map();

function merged(
  known: ReadonlyMap<string, ColumnStats> | undefined,
  added: readonly ColumnStats[],
): ReadonlyMap<string, ColumnStats> {
  return new Map([...(known ?? []), ...added.map((stats) => [stats.column, stats] as const)]);
}
