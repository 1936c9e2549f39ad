import type { ReactNode } from 'react';
import type { Cell } from '../../../api/cells.ts';
import type { ComparePage } from '../../../api/compare.ts';
import type { DatasetEntry } from '../../../api/datasets.ts';
import { formatCount, pluralize } from '../../format.ts';
import { lineOf } from '../../parts/cell-text.tsx';
import { visibleText } from '../../visible-text.ts';
import { WordChanges } from './word-changes.tsx';

interface RowProps {
  readonly row: ComparePage['rows'][number];
  readonly columns: ComparePage['columns'];
  readonly left: DatasetEntry;
  readonly right: DatasetEntry;
}

/** A row of two datasets: the columns that differ, and the number of the others. */
export function ComparedRow(props: RowProps): ReactNode {
  const { row, columns, left, right } = props;
  const { index, changed } = row;
  const missing = row.left === null ? left : row.right === null ? right : undefined;
  const same = columns.filter((column) => column.in === 'both').length - changed.length;
  return (
    <section className="card">
      <h3>Row {formatCount(index)}</h3>
      {missing && <p className="warn">{visibleText(missing.name)} has no such row.</p>}
      {!missing && changed.length > 0 && <Changes {...props} />}
      {!missing && <p className="quiet small">{pluralize(same, 'column')} without a difference.</p>}
    </section>
  );
}

function Changes({ row, columns, left, right }: RowProps): ReactNode {
  return (
    <table className="list-table compare-table">
      <thead>
        <tr>
          <th scope="col">Column</th>
          <th scope="col">{visibleText(left.name)}</th>
          <th scope="col">{visibleText(right.name)}</th>
        </tr>
      </thead>
      <tbody>
        {row.changed.map((name) => {
          const at = columns.findIndex((column) => column.name === name);
          return (
            <tr key={name}>
              <th scope="row">{visibleText(name)}</th>
              <WordChanges left={textOf(row.left?.[at])} right={textOf(row.right?.[at])} />
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function textOf(cell: Cell | undefined): string {
  if (typeof cell === 'string') return cell;
  return cell === undefined ? '' : lineOf(cell);
}
