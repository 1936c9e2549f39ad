import type { ReactNode } from 'react';
import type { ComparePage } from '../../../api/compare.ts';
import type { DatasetEntry } from '../../../api/datasets.ts';
import { withParams } from '../../address.ts';
import { formatCount, pluralize } from '../../format.ts';
import { Link } from '../../parts/link.tsx';
import { ValueList } from '../../parts/value-view.tsx';
import { useAddress, useChangeParams } from '../../use-address.ts';
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

/** A row of two datasets: the columns that differ, and the others on request. */
export function ComparedRow(props: RowProps): ReactNode {
  const { row, left, right, isPlanned } = props;
  const { index, position, otherPosition, changed } = row;
  const missing = row.left === null ? left : row.right === null ? right : undefined;
  const shown = position ?? otherPosition;
  const planned = position === null || position === index ? '' : ` · planned row ${formatCount(index)}`;
  return (
    <section className="card" id={`compared-${index}`}>
      <div className="row spread">
        <h3>
          {position === null && isPlanned ? 'Planned row' : 'Row'} {formatCount(position ?? index)}
          {planned}
        </h3>
        {shown !== null && (
          <span className="row small">
            Open in
            <RecordLink index={index} position={position} dataset={left} />
            <RecordLink index={index} position={otherPosition} dataset={right} />
          </span>
        )}
      </div>
      {missing && <p className="warn">{visibleText(missing.name)} has no such row.</p>}
      {!missing && changed.length > 0 && <Changes {...props} />}
      {!missing && <SameValues {...props} />}
    </section>
  );
}

interface LinkProps {
  readonly index: number;
  readonly position: number | null;
  readonly dataset: DatasetEntry;
}

/** The way to the record of one dataset, which has a way back to this row. */
function RecordLink({ index, position, dataset: { id, name } }: LinkProps): ReactNode {
  const { params } = useAddress();
  const change = useChangeParams();
  if (position === null) return null;
  const here = withParams(params, { row: String(index) });
  return (
    // The way back of the browser leads to this row too.
    <span onClickCapture={() => change((old) => withParams(old, { row: String(index) }), true)}>
      <Link page="record" row={position} params={new URLSearchParams({ d: id, back: here.toString() })}>
        {visibleText(name)}
        {position === index ? '' : ` (row ${formatCount(position)})`}
      </Link>
    </span>
  );
}

/** The columns without a difference, folded. */
function SameValues({ row, columns }: RowProps): ReactNode {
  const same = columns.flatMap(({ name, in: where }, at) =>
    where === 'both' && !row.changed.includes(name) ? [{ name, value: row.left?.[at] ?? null }] : [],
  );
  if (same.length === 0) return <p className="quiet small">No column is without a difference.</p>;
  const names = same.map(({ name }) => name).join(', ');
  return (
    <details className="same-values">
      <summary className="quiet small">
        {pluralize(same.length, 'column')} without a difference: {visibleText(names)}
      </summary>
      <ValueList values={same} />
    </details>
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
