import type { ReactNode } from 'react';
import type { ComparePage } from '../../../api/compare.ts';
import type { DatasetEntry } from '../../../api/datasets.ts';
import { formatCount, pluralize } from '../../format.ts';
import { Link } from '../../parts/link.tsx';
import { visibleText } from '../../visible-text.ts';
import { changedParts } from './changed-parts.ts';
import { WordChanges } from './word-changes.tsx';

interface RowProps {
  readonly row: ComparePage['rows'][number];
  readonly columns: ComparePage['columns'];
  readonly left: DatasetEntry;
  readonly right: DatasetEntry;
  /** Whether the index is a row of the plans. */
  readonly isPlanned: boolean;
}

/** A row of two datasets: the columns that differ, and the number of the others. */
export function ComparedRow(props: RowProps): ReactNode {
  const { row, columns, left, right, isPlanned } = props;
  const { index, position, changed } = row;
  const missing = row.left === null ? left : row.right === null ? right : undefined;
  const same = columns.filter((column) => column.in === 'both').length - changed.length;
  const planned = position === null || position === index ? '' : ` · planned row ${formatCount(index)}`;
  const title = `${position === null && isPlanned ? 'Planned row' : 'Row'} ${formatCount(position ?? index)}`;
  return (
    <section className="card">
      <h3>
        {position === null ? (
          title
        ) : (
          <Link page="record" row={position} params={new URLSearchParams({ d: left.id })}>
            {title}
          </Link>
        )}
        {planned}
      </h3>
      {missing && <p className="warn">{visibleText(missing.name)} has no such row.</p>}
      {!missing && changed.length > 0 && <Changes {...props} />}
      {!missing && <p className="quiet small">{pluralize(same, 'column')} without a difference.</p>}
    </section>
  );
}

function Changes({ row, columns, left, right }: RowProps): ReactNode {
  const parts = columns.flatMap((column, at) =>
    row.changed.includes(column.name) ? changedParts(column, [row.left?.[at], row.right?.[at]]) : [],
  );
  return (
    <table className="list-table compare-table">
      <thead>
        <tr>
          <th scope="col">Column</th>
          <th scope="col">{visibleText(left.name)}</th>
          <th scope="col">{visibleText(right.name)}</th>
          <th scope="col">Difference</th>
        </tr>
      </thead>
      <tbody>
        {parts.map((part) => (
          <tr key={part.name}>
            <th scope="row">{visibleText(part.name)}</th>
            <WordChanges left={part.left} right={part.right} names={[left.name, right.name]} />
            <td className="small">{visibleText(part.difference)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
