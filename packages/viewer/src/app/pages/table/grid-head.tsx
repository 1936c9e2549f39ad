import { memo, type ReactNode } from 'react';
import type { ColumnStats } from '../../../api/table.ts';
import { HeaderBars, StatsLine } from '../../parts/stats-bars.tsx';
import { visibleText } from '../../visible-text.ts';
import type { ColumnRun, PlacedColumn } from './column-layout.ts';
import { ColumnMenu } from './column-menu.tsx';
import { isSamePlace, placeOf, type TableState } from './use-table-state.ts';

/** The height of the head in pixels, as in the style sheet. */
export const HEAD_HEIGHT = 132;

interface HeadProps {
  /** The columns in view. */
  readonly placed: readonly PlacedColumn[];
  readonly runs: readonly ColumnRun[];
  readonly width: number;
  readonly state: TableState;
  readonly stats: ReadonlyMap<string, ColumnStats>;
}

/** The head of the grid: the kinds of columns, then the columns with their distribution. */
export const GridHead = memo(function GridHead(props: HeadProps): ReactNode {
  const { placed, runs, width, state, stats } = props;
  return (
    <div role="rowgroup" className="grid-head" style={{ width }}>
      <div role="row" aria-rowindex={1} className="grid-kinds">
        <div role="columnheader" aria-colindex={1} className="grid-corner">
          <span className="sr-only">Row</span>
        </div>
        {runs.map((run) => (
          <div
            key={run.first}
            role="columnheader"
            aria-colindex={run.first + 2}
            aria-colspan={run.columns}
            className={`grid-kind kind-${run.kind}${run.isPinned ? ' pinned' : ''}`}
            style={{ width: run.width, ...(run.isPinned && { left: run.left }) }}
          >
            <span>{run.title}</span>
          </div>
        ))}
      </div>
      <div role="row" aria-rowindex={2} className="grid-columns">
        <div role="columnheader" aria-colindex={1} className="grid-column grid-corner">
          row
        </div>
        {placed.map((one) => {
          const { name } = one.column.info;
          return <ColumnHead key={name} {...one} state={state} stats={stats.get(name)} />;
        })}
      </div>
    </div>
  );
});

interface ColumnHeadProps extends PlacedColumn {
  readonly state: TableState;
  readonly stats: ColumnStats | undefined;
}

const ColumnHead = memo(function ColumnHead({ column, at, gap, state, stats }: ColumnHeadProps): ReactNode {
  const { info, isPinned, left, width } = column;
  const sort = state.filter.sort?.find((one) => isSamePlace(one, placeOf(info)));
  const order = sort === undefined ? undefined : sort.descending ? 'descending' : 'ascending';
  const sign = { ascending: ' ▲', descending: ' ▼', none: '' }[order ?? 'none'];
  return (
    <div
      role="columnheader"
      aria-colindex={at + 2}
      aria-sort={order}
      className={`grid-column${isPinned ? ' pinned' : ''}`}
      style={isPinned ? { left, width } : { marginLeft: gap, width }}
    >
      <div className="column-name">
        <button
          type="button"
          className="plain"
          title={`Sort by ${info.name}`}
          onClick={(event) => state.toggleSort(placeOf(info), event.shiftKey)}
        >
          {visibleText(info.name)}
          {sign}
        </button>
        <ColumnMenu info={info} state={state} stats={stats} />
      </div>
      <div className="column-type quiet" title={info.type}>
        {shortType(info.type)}
      </div>
      {stats === undefined ? <HeadSpace /> : <HeadStats stats={stats} onPick={state.addCondition} />}
    </div>
  );
});

/** A type in one word: the title has the types of its members. */
function shortType(type: string): string {
  if (type.startsWith('struct<')) return 'struct';
  return /^list<(?:struct|list)</.test(type) ? 'list' : type;
}

/** The distribution of a column; of nested data, that of the first member with one. */
function HeadStats({ stats, onPick }: Parameters<typeof HeaderBars>[0]): ReactNode {
  const [member] = stats.members;
  const shown = stats.kind === 'none' && member !== undefined ? { ...stats, ...member } : stats;
  return (
    <>
      <HeaderBars stats={shown} onPick={onPick} />
      <StatsLine stats={shown} name={shown === stats ? undefined : member?.path.join('.')} />
    </>
  );
}

/** The space of statistics that are not counted yet. */
function HeadSpace(): ReactNode {
  return (
    <>
      <span className="header-bars" />
      <span className="stats-line" />
    </>
  );
}
