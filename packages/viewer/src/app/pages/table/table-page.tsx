import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { ColumnInfo } from '../../../api/columns.ts';
import { useSource } from '../../data/data-source.ts';
import { useDataset } from '../../data/use-dataset.tsx';
import { datasetParams, keptParams } from '../../filter-params.ts';
import { pluralize } from '../../format.ts';
import { Link } from '../../parts/link.tsx';
import { describeWaiting, lostRowsOf } from '../../parts/run-progress.ts';
import { useReviews } from '../../reviews/use-reviews.tsx';
import { goTo, useAddress } from '../../use-address.ts';
import { useKeys } from '../../use-keys.ts';
import { type GridColumn, layoutColumns } from './column-layout.ts';
import { FilterBar } from './filter-bar.tsx';
import { Grid, type GridHandle, type GridView } from './grid.tsx';
import { RowCache } from './row-cache.ts';
import { RowsInTheMaking } from './rows-in-the-making.tsx';
import { notePlace } from './table-place.ts';
import { TableTools } from './table-tools.tsx';
import { useColumnStats } from './use-column-stats.ts';
import { useTableState } from './use-table-state.ts';

/** Columns are requested in blocks of this many, so that a wide table loads the part in view. */
const BLOCK_COLUMNS = 24;

/** While rows are loading, a scroll requests further ones after this time. */
const SCROLL_MS = 80;

/** All rows of the dataset: filter, search, sort, copy and download. */
export function TablePage(): ReactNode {
  const { entry, columns: own, overview, version } = useDataset();
  const columns = useMemo(() => withScores(own, overview.scores), [own, overview.scores]);
  const state = useTableState();
  const [marked, setMarked] = useState<ReadonlySet<number>>(new Set());
  const { filter, hidden, pinned } = state;
  // Marks are positions among the rows of a filter.
  const [markedIn, setMarkedIn] = useState(filter);
  if (JSON.stringify(markedIn) !== JSON.stringify(filter)) {
    setMarkedIn(filter);
    setMarked(new Set());
  }
  const laidOut = useMemo(() => layoutColumns(columns, { hidden, pinned }), [columns, hidden, pinned]);
  const cache = useRowCache(entry.id, version, JSON.stringify(filter));
  const { blocks, onView } = useWantedRows(cache, laidOut);
  const reviews = useReviews();
  const stats = useColumnStats({ dataset: entry.id, version, filter, blocks, scores: overview.scores });
  const total = cache.total ?? 0;
  const at = Math.min(state.at, Math.max(total - 1, 0));

  useEffect(() => notePlace(state.params, state.at), [state.params, state.at]);

  const open = (index: number): void => goTo({ page: 'record', row: index, params: keptParams(state.params) });
  const openCurrent = (): void => {
    const row = cache.rowAt(at);
    if (row) open(row.index);
  };
  const mark = (position: number): void => setMarked((old) => toggledSet(old, position));
  const grid = useRef<GridHandle>(null);
  // A key acts on no row that nobody sees: the first one brings the row into view.
  const isBroughtIntoView = (): boolean => grid.current?.showRow(at) === true;
  const moveOn = (): void => state.moveTo(Math.min(at + 1, total - 1), state.column);
  useKeys({
    j: moveOn,
    k: () => state.moveTo(Math.max(at - 1, 0), state.column),
    g: () => state.moveTo(0, state.column),
    G: () => state.moveTo(Math.max(total - 1, 0), state.column),
    Enter: () => isBroughtIntoView() || openCurrent(),
    x: () => isBroughtIntoView() || mark(at),
  });
  const copied = marked.size > 0 ? [...marked].toSorted((a, b) => a - b) : [at];
  const indexes = copied.flatMap((position) => cache.rowAt(position)?.index ?? []);
  return (
    <div className="table-page">
      <FilterBar state={state} total={cache.total} isWaiting={cache.isWaiting} />
      <TableTools
        state={state}
        columns={columns}
        total={cache.total}
        indexes={indexes}
        reviews={reviews}
        marked={marked.size}
        onUnmark={() => setMarked(new Set())}
        onNext={moveOn}
        isBroughtIntoView={isBroughtIntoView}
      />
      {cache.error !== undefined && (
        <p className="notice error" role="alert">
          {cache.error}
        </p>
      )}
      <MissingRows />
      {cache.total === 0 && (
        <p className="quiet">{overview.rows === 0 ? 'The table has no rows yet.' : 'No row fits the filter.'}</p>
      )}
      <RowsInTheMaking />
      <Grid
        handle={grid}
        columns={laidOut}
        total={total}
        state={state}
        stats={stats}
        reviews={reviews.byRow}
        marked={marked}
        rowAt={(position) => cache.rowAt(position)}
        onView={onView}
        onOpen={open}
        onMark={mark}
      />
    </div>
  );
}

/** The rows that the table lacks, because they were lost or wait for their row group. */
function MissingRows(): ReactNode {
  const { overview } = useDataset();
  const { params } = useAddress();
  const waiting = describeWaiting(overview);
  // The candidates that a selection refuses are no lost rows.
  const lost = overview.selection === null && overview.rows < overview.wanted ? lostRowsOf(overview) : 0;
  return (
    <>
      {lost > 0 && (
        <p className="small">
          <Link page="failures" params={datasetParams(params)}>
            {pluralize(lost, 'row')} {lost === 1 ? 'was' : 'were'} lost
          </Link>
        </p>
      )}
      {waiting !== undefined && <p className="quiet small">{waiting}</p>}
    </>
  );
}

/** The columns with the scores of each judge before its column. */
function withScores(columns: readonly ColumnInfo[], scores: readonly ColumnInfo[]): readonly ColumnInfo[] {
  return columns.flatMap((column) => [...scores.filter(({ member }) => member?.column === column.name), column]);
}

interface WantedRows {
  /** The blocks of columns in view. */
  readonly blocks: readonly (readonly string[])[];
  readonly onView: (view: GridView) => void;
}

/** Requests the rows in view: at once if none are loading, else a few times a second while the table scrolls. */
function useWantedRows(cache: RowCache, columns: readonly GridColumn[]): WantedRows {
  const [inView, setInView] = useState<readonly string[]>([]);
  const blocks = useMemo(() => blocksOf(columns, inView), [columns, inView]);
  const range = useRef({ from: 0, to: 0 });
  const wantedAt = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const request = useCallback(() => {
    clearTimeout(timer.current);
    const run = (): void => {
      wantedAt.current = performance.now();
      cache.want(range.current, blocks);
    };
    const waitMs = cache.isLoading ? wantedAt.current + SCROLL_MS - performance.now() : 0;
    // A timer would fire after the next frame is drawn.
    if (waitMs <= 0) run();
    else timer.current = setTimeout(run, waitMs);
  }, [cache, blocks]);
  useEffect(() => {
    request();
    return () => clearTimeout(timer.current);
  }, [request]);
  const onView = useCallback(
    (view: GridView) => {
      range.current = view;
      setInView(view.columns);
      request();
    },
    [request],
  );
  return { blocks, onView };
}

/** The cache of the rows of a filter; a newer version of the dataset shows the older rows until its own arrive. */
function useRowCache(dataset: string, version: string, filter: string): RowCache {
  const source = useSource();
  const previous = useRef<{ readonly key: string; readonly cache: RowCache }>(null);
  const key = `${dataset} ${filter}`;
  const cache = useMemo(() => {
    const old = previous.current?.key === key ? previous.current.cache : undefined;
    const next = new RowCache({ source, dataset, filter: JSON.parse(filter), previous: old });
    previous.current = { key, cache: next };
    return next;
    // A new version of the dataset has new rows.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [source, dataset, filter, key, version]);
  useEffect(() => () => cache.close(), [cache]);
  useSyncExternalStore(cache.subscribe, cache.changes);
  return cache;
}

function isTrace({ info }: GridColumn): boolean {
  return info.kind === 'trace';
}

/** The blocks of columns that hold the columns in view. Conversations are large: each has a block of its own. */
function blocksOf(columns: readonly GridColumn[], inView: readonly string[]): readonly (readonly string[])[] {
  const names = columns.filter((column) => !isTrace(column)).map(({ info }) => info.name);
  const blocks: (readonly string[])[] = columns.filter(isTrace).map(({ info }) => [info.name]);
  for (let from = 0; from < names.length; from += BLOCK_COLUMNS) blocks.push(names.slice(from, from + BLOCK_COLUMNS));
  const seen = new Set(inView);
  return blocks.filter((block) => block.some((name) => seen.has(name)));
}

function toggledSet(set: ReadonlySet<number>, value: number): ReadonlySet<number> {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
}
