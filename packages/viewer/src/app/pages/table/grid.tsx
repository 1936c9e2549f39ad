import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
} from 'react';
import type { RowReview } from '../../../api/reviews.ts';
import type { ColumnStats } from '../../../api/table.ts';
import { useKeys } from '../../use-keys.ts';
import { columnRuns, type GridColumn, NUMBER_WIDTH, placeColumns } from './column-layout.ts';
import { GridHead, HEAD_HEIGHT } from './grid-head.tsx';
import { cellId, GridRow } from './grid-row.tsx';
import type { TableRow } from './row-cache.ts';
import type { TableState } from './use-table-state.ts';
import { useRowScroll } from './use-row-scroll.ts';

/** The height of a row in pixels, as in the style sheet. */
const ROW_HEIGHT = 32;

/** The part of the grid in view. */
export interface GridView {
  readonly from: number;
  readonly to: number;
  /** The columns in view, pinned ones included. */
  readonly columns: readonly string[];
}

/** What the page asks of the grid. */
export interface GridHandle {
  /** Brings a row into view; returns whether nothing of it was. */
  readonly showRow: (position: number) => boolean;
}

interface GridProps {
  readonly handle: Ref<GridHandle>;
  readonly columns: readonly GridColumn[];
  readonly total: number;
  readonly state: TableState;
  readonly stats: ReadonlyMap<string, ColumnStats>;
  readonly marked: ReadonlySet<number>;
  readonly rowAt: (position: number) => TableRow | undefined;
  /** The reviews, by the index of their row. */
  readonly reviews: ReadonlyMap<number, RowReview>;
  readonly onView: (view: GridView) => void;
  readonly onOpen: (index: number) => void;
  readonly onMark: (position: number) => void;
}

/** The table as a grid with one tab stop: it draws the rows and the columns in view alone. */
export function Grid(props: GridProps): ReactNode {
  const { columns, total, state, rowAt, onOpen, onMark } = props;
  const element = useRef<HTMLDivElement>(null);
  const pinnedWidth = columns.reduce((sum, { isPinned, width }) => sum + (isPinned ? width : 0), 0);
  const rows = useRowScroll({ count: total, rowHeight: ROW_HEIGHT, headHeight: HEAD_HEIGHT, element });
  const shown = useColumnsInView(columns, element);
  const width = columns.reduce((sum, column) => sum + column.width, NUMBER_WIDTH);
  const placed = useMemo(() => placeColumns(columns, shown), [columns, shown]);
  const runs = useMemo(() => columnRuns(columns), [columns]);
  const at = Math.min(state.at, Math.max(total - 1, 0));
  useReportedView(props, { from: rows.items[0]?.index ?? 0, to: rows.items.at(-1)?.index ?? 0, columns: shown });
  const { showRow } = rows;
  useEffect(() => void showRow(at), [at, showRow, total]);
  useImperativeHandle(props.handle, () => ({ showRow }), [showRow]);

  const current = Math.max(
    columns.findIndex(({ info }) => info.name === state.column),
    0,
  );
  const move = (position: number, column = current): void => {
    const name = columns[Math.max(0, Math.min(column, columns.length - 1))]?.info.name ?? null;
    state.moveTo(Math.max(0, Math.min(position, total - 1)), name);
    if (column !== current) revealColumn(element.current, columns[column], pinnedWidth);
  };
  // Wherever the focus is, these keys would otherwise scroll the row away that the next key is for.
  useKeys({
    ArrowDown: () => move(at + 1),
    ArrowUp: () => move(at - 1),
    PageDown: () => move(at + rows.pageRows),
    PageUp: () => move(at - rows.pageRows),
    Home: () => move(at, 0),
    End: () => move(at, columns.length - 1),
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.metaKey || event.altKey || isInMenu(event)) return;
    if (event.target !== element.current && !event.ctrlKey) return;
    const ends = { Home: () => move(0, 0), End: () => move(total - 1, columns.length - 1) };
    const moves: Readonly<Record<string, () => void>> = event.ctrlKey
      ? ends
      : {
          ArrowRight: () => move(at, Math.min(current + 1, columns.length - 1)),
          ArrowLeft: () => move(at, Math.max(current - 1, 0)),
          ' ': () => onMark(at),
        };
    const run = Object.hasOwn(moves, event.key) ? moves[event.key] : undefined;
    if (run === undefined) return;
    event.preventDefault();
    run();
  };
  const onClick = (event: MouseEvent): void => {
    const cell = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]') : null;
    if (cell === null) return;
    const position = Number(cell.dataset['row']);
    const column = columns.findIndex(({ info }) => info.name === cell.dataset['column']);
    move(position, column < 0 ? current : column);
    if (event.detail === 2) {
      const row = rowAt(position);
      if (row) onOpen(row.index);
    }
  };

  const activeName = columns[current]?.info.name;
  return (
    <div
      ref={element}
      className="grid"
      role="grid"
      aria-label="Rows of the dataset"
      aria-rowcount={total + 2}
      aria-colcount={columns.length + 1}
      aria-multiselectable="true"
      aria-activedescendant={total > 0 && activeName !== undefined ? cellId(at, current) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <GridHead placed={placed} width={width} runs={runs} state={state} stats={props.stats} />
      <div role="rowgroup" className="grid-body" style={{ height: rows.height, width }}>
        {rows.items.map(({ index: position, start }) => {
          const row = rowAt(position);
          return (
            <GridRow
              key={position}
              position={position}
              top={start + rows.shift}
              row={row}
              review={row && props.reviews.get(row.index)}
              placed={placed}
              isCurrent={position === at}
              currentColumn={activeName}
              isMarked={props.marked.has(position)}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Whether a key is for the menu of a column, which is a part of the grid. */
function isInMenu({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest('[popover]') !== null;
}

/** The names of the columns in view; pinned ones are always. */
function useColumnsInView(
  columns: readonly GridColumn[],
  element: { readonly current: HTMLDivElement | null },
): readonly string[] {
  const virtualizer = useVirtualizer<HTMLDivElement, Element>({
    horizontal: true,
    count: columns.length,
    estimateSize: (at) => columns[at]?.width ?? 0,
    getItemKey: (at) => columns[at]?.info.name ?? at,
    getScrollElement: () => element.current,
    paddingStart: NUMBER_WIDTH,
    overscan: 2,
  });
  useEffect(() => virtualizer.measure(), [columns, virtualizer]);
  const inView = new Set(virtualizer.getVirtualItems().map(({ index }) => index));
  const names = columns.filter(({ isPinned }, at) => isPinned || inView.has(at)).map(({ info }) => info.name);
  const key = names.join('\n');
  // The same list as long as the same columns are in view.
  return useMemo(() => (key === '' ? [] : key.split('\n')), [key]);
}

function useReportedView({ onView }: GridProps, { from, to, columns }: GridView): void {
  useEffect(() => onView({ from, to, columns }), [onView, from, to, columns]);
}

function revealColumn(element: HTMLElement | null, column: GridColumn | undefined, pinnedWidth: number): void {
  if (element === null || column === undefined || column.isPinned) return;
  const hidden = NUMBER_WIDTH + pinnedWidth;
  if (column.left < element.scrollLeft + hidden) element.scrollLeft = column.left - hidden;
  const right = column.left + column.width;
  if (right > element.scrollLeft + element.clientWidth) element.scrollLeft = right - element.clientWidth;
}
