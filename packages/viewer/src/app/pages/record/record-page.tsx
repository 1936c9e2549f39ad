import { type ReactNode, useState } from 'react';
import type { RecordAnswer } from '../../../api/record.ts';
import { withParams } from '../../address.ts';
import { useSource } from '../../data/data-source.ts';
import { useData } from '../../data/use-data.ts';
import { useDataset } from '../../data/use-dataset.tsx';
import { datasetParams, isFiltered, keptParams, parseFilter } from '../../filter-params.ts';
import { formatCount } from '../../format.ts';
import { Link } from '../../parts/link.tsx';
import { ReviewPanel } from '../../reviews/review-panel.tsx';
import { useReviewAhead } from '../../reviews/use-reviews.ts';
import { goTo, useAddress } from '../../use-address.ts';
import { useKeys } from '../../use-keys.ts';
import { visibleText } from '../../visible-text.ts';
import { RecordView } from './record-view.tsx';

/** One record, with its neighbours within the filter. */
export function RecordPage(): ReactNode {
  const { entry, columns, version, overview } = useDataset();
  const source = useSource();
  const { row = 0, params } = useAddress();
  const kept = keptParams(params);
  const filter = parseFilter(params);
  const [reviewed, setReviewed] = useState(0);
  const { data, error, isOld } = useData(`${entry.id} ${version} ${row} ${kept} ${reviewed}`, (signal) =>
    source.ask('record', { dataset: entry.id, index: row, filter }, signal),
  );
  const open = (index: number | null | undefined): void => {
    if (index !== null && index !== undefined) goTo({ page: 'record', row: index, params: kept }, { replace: true });
  };
  // While a record loads, the head names it already and the page still shows the one before.
  const isShown = data?.index === row && !isOld;
  const { decide, said } = useReviewAhead(row, () => setReviewed((times) => times + 1));
  const openAt = (position: number): void => {
    source
      .ask('rows', { dataset: entry.id, filter, from: position, count: 1, columns: [] })
      .then(({ rows }) => open(rows[0]?.index))
      .catch(() => undefined);
  };
  useKeys({
    j: () => open(data?.next),
    k: () => open(data?.previous),
    ArrowRight: () => open(data?.next),
    ArrowLeft: () => open(data?.previous),
    g: () => openAt(0),
    G: () => openAt(Math.max((data?.total ?? 1) - 1, 0)),
    t: () => goTo({ page: 'table', params: tableParams(kept, data) }),
    ...(source.canReview && !isShown ? { a: () => decide('accept'), r: () => decide('reject') } : {}),
  });
  if (overview.rows === 0) return <p className="quiet">The dataset has no rows yet.</p>;
  return (
    <div className="stack" aria-busy={isOld}>
      <RecordHead answer={data} row={row} params={kept} />
      {error !== undefined && (
        <p className="notice error" role="alert">
          {error}
        </p>
      )}
      {data !== undefined && <Failures failures={data.failures} />}
      {data !== undefined && <RecordView dataset={entry.id} answer={data} columns={columns} />}
      {said !== '' && (
        <p role="status" className="small">
          {said}
        </p>
      )}
      {data !== undefined && (
        <div inert={!isShown}>
          <ReviewPanel record={data} isShown={isShown} />
        </div>
      )}
    </div>
  );
}

/** Why cells of the record are null, with the way to their conversations. */
function Failures({ failures }: { readonly failures: RecordAnswer['failures'] }): ReactNode {
  const { params } = useAddress();
  if (failures.length === 0) return null;
  return (
    <ul className="bare-list stack" aria-label="Failed cells">
      {failures.map(({ row, column, code, message }) => (
        <li key={`${column} ${code}`} className="notice error">
          The cell of {visibleText(column)} failed (<code>{code}</code>): {visibleText(message)}{' '}
          <Link page="failures" params={withParams(datasetParams(params), { column, code, row: String(row) })}>
            See its conversation
          </Link>
        </li>
      ))}
    </ul>
  );
}

interface HeadProps {
  readonly answer: RecordAnswer | undefined;
  readonly row: number;
  readonly params: URLSearchParams;
}

function RecordHead({ answer, row, params }: HeadProps): ReactNode {
  return (
    <div className="row record-head">
      <h2>Row {formatCount(row)}</h2>
      <span className="quiet">{answer === undefined ? '' : placeOf(answer, isFiltered(params))}</span>
      <Neighbour index={answer?.previous} params={params} label="Previous" keys="k" />
      <Neighbour index={answer?.next} params={params} label="Next" keys="j" />
      <Link page="table" params={tableParams(params, answer)}>
        Back to the table
      </Link>
    </div>
  );
}

/** The table at the row of the record. */
function tableParams(params: URLSearchParams, answer: RecordAnswer | undefined): URLSearchParams {
  return withParams(params, { at: answer?.position ? String(answer.position) : undefined });
}

function placeOf({ position, total, row, index }: RecordAnswer, isInFilter: boolean): string {
  const place = position === null ? 'not in the filter' : `${formatCount(position + 1)} of ${formatCount(total)}`;
  const within = position !== null && isInFilter ? ' in the filter' : '';
  return `${place}${within}${row !== null && row !== index ? `, row ${formatCount(row)} of the plan` : ''}`;
}

interface NeighbourProps {
  readonly index: number | null | undefined;
  readonly params: URLSearchParams;
  readonly label: string;
  readonly keys: string;
}

function Neighbour({ index = null, params, label, keys }: NeighbourProps): ReactNode {
  const go = (): void => {
    if (index !== null) goTo({ page: 'record', row: index, params }, { replace: true });
  };
  return (
    <button type="button" disabled={index === null} onClick={go} title={keys}>
      {label}
    </button>
  );
}
