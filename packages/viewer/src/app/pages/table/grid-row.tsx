import { memo, type ReactNode } from 'react';
import type { Cell, Media } from '../../../api/cells.ts';
import type { ColumnInfo } from '../../../api/columns.ts';
import type { RowReview } from '../../../api/reviews.ts';
import { formatCount } from '../../format.ts';
import { pageCell } from '../../../server/conversation.ts';
import { CellText, lineOf } from '../../parts/cell-text.tsx';
import { Thumbnails } from '../../parts/media-view.tsx';
import { EDIT_SIGN, ReviewMark } from '../../reviews/review-mark.tsx';
import { isNumeric, type PlacedColumn } from './column-layout.ts';
import type { TableRow } from './row-cache.ts';

interface RowProps {
  readonly position: number;
  readonly top: number;
  readonly row: TableRow | undefined;
  readonly review: RowReview | undefined;
  /** The columns in view. */
  readonly placed: readonly PlacedColumn[];
  readonly isCurrent: boolean;
  readonly currentColumn: string | undefined;
  readonly isMarked: boolean;
}

/** The identifier of a cell, for `aria-activedescendant`. */
export function cellId(position: number, column: number): string {
  return `cell-${position}-${column}`;
}

/** A row of the grid: its number and the cells in view. */
export const GridRow = memo(function GridRow(props: RowProps): ReactNode {
  const { position, top, row, review, placed, isCurrent, currentColumn, isMarked } = props;
  const className = `grid-row${isCurrent ? ' current' : ''}${isMarked ? ' marked' : ''}`;
  // The first two rows are those of the head.
  return (
    <div
      role="row"
      aria-rowindex={position + 3}
      aria-selected={isMarked}
      className={className}
      style={{ transform: `translateY(${top}px)` }}
    >
      <div role="rowheader" aria-colindex={1} className="grid-cell grid-number" data-row={position}>
        {review !== undefined && <ReviewMark review={review} />}
        {row === undefined ? '' : formatCount(row.index)}
      </div>
      {placed.map(({ column, at, gap }) => (
        <GridCell
          key={column.info.name}
          column={column}
          at={at}
          gap={gap}
          position={position}
          cell={row?.cells.get(column.info.name)}
          edited={editedCell(column.info, review)}
          isActive={isCurrent && column.info.name === currentColumn}
          isHit={row?.hits.has(column.info.name) ?? false}
          media={row?.media.get(column.info.name) ?? NO_MEDIA}
        />
      ))}
    </div>
  );
});

/** The new value of a column, or of the member that it is, in a review of the row as it is. */
export function editedCell(info: ColumnInfo, review: RowReview | undefined): Cell | undefined {
  const { edits = null, isStale = true } = review ?? {};
  return edits === null || isStale || !Object.hasOwn(edits, info.member?.column ?? info.name)
    ? undefined
    : pageCell(info, edits);
}

interface CellProps extends PlacedColumn {
  readonly position: number;
  readonly cell: Cell | undefined;
  /** The new value of the cell in a review; undefined without one. */
  readonly edited: Cell | undefined;
  readonly isActive: boolean;
  /** Whether the search found its text in the whole value. */
  readonly isHit: boolean;
  readonly media: readonly Media[];
}

const NO_MEDIA: readonly Media[] = [];

const GridCell = memo(function GridCell(props: CellProps): ReactNode {
  const { position, cell, edited, isActive, isHit, media, column, at, gap } = props;
  const { info, isPinned, left, width } = column;
  return (
    <div
      id={cellId(position, at)}
      role="gridcell"
      aria-colindex={at + 2}
      data-row={position}
      data-column={info.name}
      className={`grid-cell${isPinned ? ' pinned' : ''}${isNumeric(info) ? ' num' : ''}${isActive ? ' active' : ''}${isHit ? ' hit-cell' : ''}`}
      style={isPinned ? { left, width } : { marginLeft: gap, width }}
    >
      {isHit && <span className="sr-only">has the text of the search: </span>}
      {cell === undefined ? (
        <span className="loading" />
      ) : edited !== undefined ? (
        <span className="edited-cell" title={`Edited. Filters and statistics read the value before: ${lineOf(cell)}`}>
          <span aria-hidden="true">{EDIT_SIGN} </span>
          <span className="sr-only">edited: </span>
          <CellText cell={edited} shown={info.shown} />
        </span>
      ) : media.some(({ address }) => address !== null) ? (
        <Thumbnails media={media} />
      ) : (
        <CellText cell={cell} shown={info.shown} />
      )}
    </div>
  );
});
