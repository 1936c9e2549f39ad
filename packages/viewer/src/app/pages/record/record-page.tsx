import { type ReactNode, useEffect, useRef } from 'react';
import type { RecordAnswer } from '../../../api/record.ts';
import { withParams } from '../../address.ts';
import { useSource } from '../../data/data-source.ts';
import { useData } from '../../data/use-data.ts';
import { useDataset } from '../../data/use-dataset.tsx';
import { datasetParams, isFiltered, keptParams, parseFilter } from '../../filter-params.ts';
import { formatCount } from '../../format.ts';
import { Link } from '../../parts/link.tsx';
import { EditedValue } from '../../reviews/edited-values.tsx';
import { ReviewBar } from '../../reviews/review-bar.tsx';
import { ReviewPanel } from '../../reviews/review-panel.tsx';
import { goTo, useAddress } from '../../use-address.ts';
import { useKeys } from '../../use-keys.ts';
import { visibleText } from '../../visible-text.ts';
import { notePlace } from '../table/table-place.ts';
import { RecordView } from './record-view.tsx';
import { type RowPlace, useRowOrder } from './use-row-order.ts';

/** One record, with its neighbours within the filter. */
export function RecordPage(): ReactNode {
  const { entry, columns, version, overview } = useDataset();
  const source = useSource();
  const { row = 0, params } = useAddress();
  const kept = keptParams(params);
  const back = params.get('back') ?? undefined;
  const filter = parseFilter(params);
  const place = useRowOrder(row, filter);
  const { data, error, isOld } = useData(`${entry.id} ${version} ${row} ${kept}`, (signal) =>
    source.ask('record', { dataset: entry.id, index: row, filter }, signal),
  );
  const open = (index: number | null | undefined): void => {
    if (index === null || index === undefined) return;
    goTo({ page: 'record', row: index, params: withParams(kept, { back }) }, { replace: true });
  };
  // A key before the order is read goes on once it is.
  const leaving = useRef<{ readonly row: number; readonly to: 'next' | 'previous' }>(undefined);
  const go = (to: 'next' | 'previous'): void => {
    if (place[to] === undefined) leaving.current = { row, to };
    else open(place[to]);
  };
  const goOn = (): void => go('next');
  useEffect(() => {
    const wanted = leaving.current;
    if (wanted === undefined || place[wanted.to] === undefined) return;
    leaving.current = undefined;
    if (wanted.row === row) open(place[wanted.to]);
  });
  useEffect(() => {
    if (typeof place.position === 'number') notePlace(params, place.position);
  }, [params, place.position]);
  // While a record loads, the page names it already and still shows the one before.
  const record = data?.index === row && !isOld ? data : undefined;
  const openAt = (position: number): void => {
    source
      .ask('rows', { dataset: entry.id, filter, from: position, count: 1, columns: [] })
      .then(({ rows }) => open(rows[0]?.index))
      .catch(() => undefined);
  };
  useKeys({
    j: goOn,
    k: () => go('previous'),
    ArrowRight: goOn,
    ArrowLeft: () => go('previous'),
    g: () => openAt(0),
    G: () => openAt(Math.max((place.total ?? 1) - 1, 0)),
    t: () => goTo({ page: 'table', params: tableParams(kept, place) }),
  });
  const texts = new Set(columns.flatMap(({ name, kind, type }) => (kind === 'model' && type === 'utf8' ? name : [])));
  if (overview.rows === 0) return <p className="quiet">The dataset has no rows yet.</p>;
  const where = placeOf(place, isFiltered(params));
  return (
    <div className="stack record-page" aria-busy={isOld}>
      <RecordHead
        place={place}
        planRow={record?.row ?? row}
        row={row}
        params={kept}
        where={where}
        back={back}
        onOpen={open}
      />
      {error !== undefined && (
        <p className="notice error" role="alert">
          {error}
        </p>
      )}
      {data !== undefined && (
        <div className="stack" inert={record === undefined}>
          <Failures failures={data.failures} />
          <RecordView
            key={data.index}
            dataset={entry.id}
            answer={data}
            columns={columns}
            renderEditor={
              source.canReview
                ? (column) => (
                    <EditedValue index={data.index} column={column} hash={data.hash} isText={texts.has(column)} />
                  )
                : undefined
            }
          />
          <ReviewPanel key={`review ${data.index}`} record={data} />
        </div>
      )}
      <ReviewBar row={row} record={record} isUnreadable={error !== undefined} place={where} onNext={goOn} />
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
  readonly place: RowPlace;
  readonly row: number;
  readonly planRow: number;
  readonly params: URLSearchParams;
  /** The place in words. */
  readonly where: string;
  /** The parameters of the comparison that the reader comes from. */
  readonly back: string | undefined;
  readonly onOpen: (index: number | null) => void;
}

function RecordHead({ place, row, planRow, params, where, back, onOpen }: HeadProps): ReactNode {
  return (
    <div className="row record-head">
      {/* The buttons stand first, so that no text moves them under the mouse. */}
      <Neighbour index={place.previous} onOpen={onOpen} label="Previous" keys="k" />
      <Neighbour index={place.next} onOpen={onOpen} label="Next" keys="j" />
      <h2>Row {formatCount(row)}</h2>
      <span className="quiet">
        {where}
        {planRow === row ? '' : ` · planned row ${formatCount(planRow)}`}
      </span>
      <Link page="table" params={tableParams(params, place)}>
        Back to the table
      </Link>
      {back !== undefined && (
        <Link page="compare" params={new URLSearchParams(back)}>
          Back to the comparison
        </Link>
      )}
    </div>
  );
}

/** The table at the row of the record. */
function tableParams(params: URLSearchParams, { position }: RowPlace): URLSearchParams {
  return withParams(params, { at: position ? String(position) : undefined });
}

function placeOf({ position, total }: RowPlace, isInFilter: boolean): string {
  if (position === undefined || total === undefined) return '';
  if (position === null) return 'not in the filter';
  return `${formatCount(position + 1)} of ${formatCount(total)}${isInFilter ? ' in the filter' : ''}`;
}

interface NeighbourProps {
  readonly index: number | null | undefined;
  readonly onOpen: (index: number | null) => void;
  readonly label: string;
  readonly keys: string;
}

function Neighbour({ index = null, onOpen, label, keys }: NeighbourProps): ReactNode {
  return (
    <button type="button" disabled={index === null} onClick={() => onOpen(index)} title={keys}>
      {label}
    </button>
  );
}
