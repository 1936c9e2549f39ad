import { useEffect, useMemo, useRef, useState } from 'react';
import type { ColumnInfo } from '../../../api/columns.ts';
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
  /** The scores of judges, which are counted with the judge's column. */
  readonly scores: readonly ColumnInfo[];
}

/** The statistics of the columns in view within the filter; older ones stay until newer ones arrive. */
export function useColumnStats(options: StatsOptions): ReadonlyMap<string, ColumnStats> {
  const { dataset, version, filter, blocks, scores } = options;
  const source = useSource();
  const { sort: _, ...unsorted } = filter;
  const filterText = JSON.stringify(unsorted);
  const filterKey = `${dataset} ${filterText}`;
  const key = `${version} ${filterKey}`;
  const last = useRef({ filterKey: '', key: '', countAgainAt: 0 });
  const [found, setFound] = useState<{ readonly key: string; readonly stats: ReadonlyMap<string, ColumnStats> }>();
  const missing = useMemo(() => {
    const known = found?.key === key ? found.stats : undefined;
    const counted = blocks.map((block) => [...new Set(block.map((name) => countedName(name, scores)))]);
    return counted.find((block) => block.some((name) => !known?.has(name)))?.join('\n');
  }, [blocks, found, key, scores]);
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
  return useMemo(() => (found ? withScoreStats(found.stats, scores) : NONE), [found, scores]);
}

/** The column that is counted for a column of the table. */
function countedName(name: string, scores: readonly ColumnInfo[]): string {
  return scores.find((score) => score.name === name)?.member?.column ?? name;
}

function withScoreStats(
  stats: ReadonlyMap<string, ColumnStats>,
  scores: readonly ColumnInfo[],
): ReadonlyMap<string, ColumnStats> {
  const own = scores.flatMap(({ name, member }) => {
    const members = stats.get(member?.column ?? '')?.members ?? [];
    const counted = members.find(({ path }) => path.join('\n') === member?.path.join('\n'));
    return counted ? [[name, { ...counted, column: name, members: [] }] as const] : [];
  });
  return new Map([...stats, ...own]);
}

const NONE: ReadonlyMap<string, ColumnStats> = new Map();

function merged(
  known: ReadonlyMap<string, ColumnStats> | undefined,
  added: readonly ColumnStats[],
): ReadonlyMap<string, ColumnStats> {
  return new Map([...(known ?? []), ...added.map((stats) => [stats.column, stats] as const)]);
}
