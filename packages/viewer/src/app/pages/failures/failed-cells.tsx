import type { ReactNode } from 'react';
import type { FailedCell } from '../../../api/failures.ts';
import { useSource } from '../../data/data-source.ts';
import { useData } from '../../data/use-data.ts';
import { useDataset } from '../../data/use-dataset.tsx';
import { datasetParams } from '../../filter-params.ts';
import { formatCount, pluralize } from '../../format.ts';
import { Conversation } from '../../parts/conversation.tsx';
import { Link } from '../../parts/link.tsx';
import { Pager, usePageFrom } from '../../parts/pager.tsx';
import { useAddress } from '../../use-address.ts';
import { visibleText } from '../../visible-text.ts';

const PAGE_CELLS = 20;

interface CellsProps {
  readonly column: string | null;
  readonly code: string | null;
  /** The row of the plan. */
  readonly row: number | null;
}

/** The failed cells of a column, a code, a row, or all, each with its reason and the conversation before it. */
export function FailedCells({ column, code, row }: CellsProps): ReactNode {
  const { entry, version } = useDataset();
  const source = useSource();
  const from = usePageFrom();
  const { data, error } = useData(`${entry.id} ${version} ${column} ${code} ${row} ${from}`, (signal) =>
    source.ask(
      'failed-cells',
      {
        dataset: entry.id,
        from,
        count: PAGE_CELLS,
        ...(column !== null && { column }),
        ...(code !== null && { code }),
        ...(row !== null && { row }),
      },
      signal,
    ),
  );
  if (error !== undefined) return <p className="notice error">{error}</p>;
  if (data === undefined) return <p className="quiet">Reading the failed cells…</p>;
  return (
    <section className="stack" aria-label="Failed cells">
      <h2>
        {visibleText(
          `${pluralize(data.total, 'failed cell')}${column === null ? '' : ` of ${column}`}${row === null ? '' : ` in row ${formatCount(row)}`}`,
        )}
      </h2>
      {data.note !== undefined && <p className="notice">{data.note}</p>}
      {data.cells.map((cell) => (
        <CellCard key={`${cell.row} ${cell.column} ${cell.group}`} cell={cell} />
      ))}
      <Pager from={from} count={PAGE_CELLS} total={data.total} />
    </section>
  );
}

function CellCard({ cell }: { readonly cell: FailedCell }): ReactNode {
  const { row, group, column, code, message, index, messages } = cell;
  const { params } = useAddress();
  return (
    <article className="card stack">
      <div className="row spread">
        <h3>
          Row {formatCount(row)}, {visibleText(column)}
        </h3>
        <span className="quiet small">
          <code>{code}</code> · row group {formatCount(group)}
          {index !== null && (
            <>
              {' · '}
              <Link page="record" row={index} params={datasetParams(params)}>
                open the row
              </Link>
            </>
          )}
        </span>
      </div>
      <p className="text bad">{visibleText(message)}</p>
      {messages.length === 0 ? (
        <p className="quiet small">The run stored no messages for this cell.</p>
      ) : (
        <Conversation page={{ column, total: messages.length, from: 0, messages }} />
      )}
    </article>
  );
}
