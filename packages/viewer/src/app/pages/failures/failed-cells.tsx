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
  /** The cells to show; the row is one of the plan. */
  readonly wanted: {
    readonly [Name in 'column' | 'code' | 'cause']: string | undefined;
  } & { readonly row: number | undefined };
  /** The message of the chosen group: another group may have its column and code. */
  readonly reason: string | undefined;
}

/** A longer message is cut in the heading. */
const MAX_REASON = 140;

/** The failed cells of a column, a code, a cause, a row, or all, each with its reason and the conversation before it. */
export function FailedCells({ wanted, reason = '' }: CellsProps): ReactNode {
  const { entry, version } = useDataset();
  const source = useSource();
  const from = usePageFrom();
  const { column, row } = wanted;
  const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
  const { data, error } = useData(`${entry.id} ${version} ${JSON.stringify(given)} ${from}`, (signal) =>
    source.ask('failed-cells', { dataset: entry.id, from, count: PAGE_CELLS, ...given }, signal),
  );
  if (error !== undefined) return <p className="notice error">{error}</p>;
  if (data === undefined) return <p className="quiet">Reading the failed cells…</p>;
  const short = reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON)}…` : reason;
  return (
    <section className="stack" aria-label="Failed cells">
      <h2>
        {visibleText(
          `${pluralize(data.total, 'failed cell')}${column === undefined ? '' : ` of ${column}`}${row === undefined ? '' : ` in planned row ${formatCount(row)}`}${short === '' ? '' : `: ${short}`}`,
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
          {index === null ? `Planned row ${formatCount(row)}` : `Row ${formatCount(index)}`}, {visibleText(column)}
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
