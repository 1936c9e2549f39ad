import type { ReactNode } from 'react';
import type { Cell } from '../../../api/cells.ts';
import type { ComparePage } from '../../../api/compare.ts';
import type { DatasetEntry } from '../../../api/datasets.ts';
import { formatCount, pluralize } from '../../format.ts';
import { lineOf } from '../../parts/cell-text.tsx';
import { visibleText } from '../../visible-text.ts';
import { differenceOf, signed } from './dataset-deltas.tsx';
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
          <th scope="col">Difference</th>
        </tr>
      </thead>
      <tbody>
        {row.changed.map((name) => {
          const at = columns.findIndex((column) => column.name === name);
          return (
            <tr key={name}>
              <th scope="row">{visibleText(name)}</th>
              <WordChanges left={textOf(row.left?.[at])} right={textOf(row.right?.[at])} />
              <td className="small">{visibleText(deltasOf(row.left?.[at], row.right?.[at]).join(', '))}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The differences of two cells in figures: of numbers, of scores by name, and of the lengths of texts. */
export function deltasOf(left: Cell | undefined, right: Cell | undefined): readonly string[] {
  if (typeof left === 'number' && typeof right === 'number') return [signed(differenceOf(left, right))];
  const [one, other] = [lengthOf(left), lengthOf(right)];
  if (one !== undefined && one === other) return left === right ? [] : ['same length'];
  if (one !== undefined && other !== undefined) return [`${signed(other - one)} characters`];
  if (typeof left !== 'object' || left?.as !== 'struct' || typeof right !== 'object' || right?.as !== 'struct')
    return [];
  return left.members.flatMap(([name, member]) => {
    const [, own] = right.members.find(([found]) => found === name) ?? [];
    const [before, after] = [figureOf(name, member), figureOf(name, own)];
    if (before !== undefined && after !== undefined) {
      return before === after
        ? []
        : [name === 'score' ? signed(differenceOf(before, after)) : `${name} ${signed(differenceOf(before, after))}`];
    }
    const isStruct = typeof member === 'object' && member?.as === 'struct';
    return isStruct ? deltasOf(member, own).map((delta) => `${name} ${delta}`) : [];
  });
}

/** A number, also one in the text of a score. */
function figureOf(name: string, cell: Cell | undefined): number | undefined {
  if (typeof cell === 'number') return cell;
  const isFigure = name === 'score' && typeof cell === 'string' && /^-?\d+(?:\.\d+)?$/.test(cell.trim());
  return isFigure ? Number(cell) : undefined;
}

/** The characters of a text, also of one that is cut. */
function lengthOf(cell: Cell | undefined): number | undefined {
  if (typeof cell === 'string') return cell.length;
  return typeof cell === 'object' && cell?.as === 'text' ? cell.length : undefined;
}

function textOf(cell: Cell | undefined): string {
  if (typeof cell === 'string') return cell;
  return cell === undefined ? '' : lineOf(cell);
}
