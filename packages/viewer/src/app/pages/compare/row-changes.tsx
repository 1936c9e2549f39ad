import type { ReactNode } from 'react';
import type { CompareCounts, MeasureChanges } from '../../../api/compare.ts';
import { formatCost, formatCount, formatFigure, formatShare, pluralize } from '../../format.ts';
import { ListTable } from '../../parts/facts.tsx';
import { visibleText } from '../../visible-text.ts';
import { measureName, type RowChoice } from './compared-rows.ts';
import { signed } from './dataset-deltas.tsx';

interface ChangesProps {
  readonly counts: CompareCounts;
  readonly onChoose: (choice: RowChoice) => void;
}

/** In how many rows of two datasets each column, score and length changed; a count leads to its rows. */
export function RowChanges({ counts, onChoose }: ChangesProps): ReactNode {
  const { rows, changed, total, next, columns } = counts;
  const compared = next ?? total;
  const alone = compared - rows;
  const isAlone = alone === 0 ? '' : ` ${formatCount(alone)} ${alone === 1 ? 'is' : 'are'} in one dataset only.`;
  const differing = columns.filter((column) => column.changed > 0);
  const measures = counts.measures.filter(
    ({ kind, rose, fell, same }) => rose + fell > 0 || (kind === 'score' && same > 0),
  );
  return (
    <section className="stack" aria-label="Changes in all rows">
      <h3>Changes in all rows</h3>
      <p role="status" className="all-rows" aria-busy={next !== null}>
        {next === null
          ? `${pluralize(rows, 'row')} compared: ${formatCount(changed)} ${changed === 1 ? 'differs' : 'differ'}.${isAlone}`
          : `Comparing all rows: ${formatCount(compared)} of ${formatCount(total)} so far, of which ${formatCount(changed)} differ…`}
      </p>
      <div className="compare-changes">
        {differing.length > 0 && (
          <ListTable
            caption="Columns that differ"
            headings={['Column', 'Rows that differ', 'Share']}
            numeric={[1, 2]}
            rows={differing.map(({ name, changed: count }) => ({
              key: name,
              cells: [
                visibleText(name),
                <Rows key="rows" count={count} onClick={() => onChoose({ of: 'column', name })} />,
                formatShare(count / rows),
              ],
            }))}
          />
        )}
        {measures.length > 0 && (
          <ListTable
            caption="Figures that rose and fell"
            headings={['Figure', 'Rose in', 'Fell in', 'Same in', 'Mean rise', 'Mean fall', 'Mean of all']}
            numeric={[1, 2, 3, 4, 5, 6]}
            rows={measures.map((measure) => measureRow(measure, onChoose))}
          />
        )}
      </div>
      {next === null && differing.length < columns.length && (
        <p className="quiet small compare-names">
          Without a difference:{' '}
          {visibleText(
            columns
              .filter((column) => column.changed === 0)
              .map(({ name }) => name)
              .join(', '),
          )}
          .
        </p>
      )}
    </section>
  );
}

function measureRow(measure: MeasureChanges, onChoose: ChangesProps['onChoose']) {
  const { kind, name, rose, fell, same, risen, sum } = measure;
  const chosen = (direction: 'rose' | 'fell') => () => onChoose({ of: 'measure', kind, name, direction });
  const mean = (total: number, rows: number): string => {
    const change = rows === 0 ? 0 : total / rows;
    return rows === 0 ? '' : signed(Math.abs(change) < 1e-12 ? 0 : change, kind === 'cost' ? formatCost : formatFigure);
  };
  return {
    key: `${kind} ${name}`,
    cells: [
      visibleText(measureName(measure)),
      <Rows key="rose" count={rose} onClick={chosen('rose')} />,
      <Rows key="fell" count={fell} onClick={chosen('fell')} />,
      formatCount(same),
      mean(risen, rose),
      mean(sum - risen, fell),
      mean(sum, rose + fell + same),
    ],
  };
}

/** A number of rows, which shows them. */
function Rows({ count, onClick }: { readonly count: number; readonly onClick: () => void }): ReactNode {
  if (count === 0) return '0';
  return (
    <button type="button" className="plain" onClick={onClick} title="Show these rows">
      {formatCount(count)}
    </button>
  );
}
