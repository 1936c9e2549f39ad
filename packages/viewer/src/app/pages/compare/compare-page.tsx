import type { ReactNode } from 'react';
import type { ComparePage as Page } from '../../../api/compare.ts';
import type { DatasetEntry } from '../../../api/datasets.ts';
import { withParams } from '../../address.ts';
import { useSource } from '../../data/data-source.ts';
import { useData } from '../../data/use-data.ts';
import { useDataset } from '../../data/use-dataset.tsx';
import { formatCount } from '../../format.ts';
import { useAddress, useChangeParams } from '../../use-address.ts';
import { useKeys } from '../../use-keys.ts';
import { visibleText } from '../../visible-text.ts';
import { ComparedRow } from './compared-row.tsx';
import { DatasetDeltas } from './dataset-deltas.tsx';

/** The rows of two datasets at the same positions, with their differences. */
export function ComparePage(): ReactNode {
  const source = useSource();
  const { entry } = useDataset();
  const { params } = useAddress();
  const { data, error } = useData('datasets', (signal) => source.ask('datasets', {}, signal));
  if (data === undefined) return error === undefined ? null : <p className="notice error">{error}</p>;
  const others = data.datasets.filter(({ id }) => id !== entry.id);
  const other = others.find(({ id }) => id === params.get('with')) ?? others[0];
  if (other !== undefined) return <Comparison left={entry} right={other} others={others} />;
  return (
    <p className="quiet">
      There is one dataset here. To compare it with another: <code>data-designer view FOLDER --compare OTHER</code>
    </p>
  );
}

interface ComparisonProps {
  readonly left: DatasetEntry;
  readonly right: DatasetEntry;
  readonly others: readonly DatasetEntry[];
}

/** The rows on a page. */
const COUNT = 20;

function Comparison({ left, right, others }: ComparisonProps): ReactNode {
  const source = useSource();
  const { version } = useDataset();
  const { params } = useAddress();
  const change = useChangeParams();
  const from = Math.max(0, Math.trunc(Number(params.get('from') ?? 0)) || 0);
  const changedOnly = params.get('rows') !== 'all';
  const { data, error, isOld } = useData(`${left.id} ${right.id} ${version} ${from} ${changedOnly}`, (signal) =>
    source.ask('compare', { left: left.id, right: right.id, from, count: COUNT, changedOnly }, signal),
  );
  const set = (name: string, value: string | undefined): void =>
    change((old) => withParams(old, { from: undefined, [name]: value }));
  const next = data?.next ?? null;
  const onNext = (): void => {
    if (next !== null) set('from', String(next));
  };
  const onFirst = (): void => set('from', undefined);
  useKeys({ j: onNext, g: onFirst });
  return (
    <div className="stack" aria-busy={isOld}>
      <div className="row">
        <h2>Compare {visibleText(left.name)} with</h2>
        <select aria-label="Compare with" value={right.id} onChange={({ target }) => set('with', target.value)}>
          {others.map(({ id, name }) => (
            <option key={id} value={id}>
              {visibleText(name)}
            </option>
          ))}
        </select>
        <label className="row">
          <input
            type="checkbox"
            checked={changedOnly}
            onChange={({ target }) => set('rows', target.checked ? undefined : 'all')}
          />
          Changed rows only
        </label>
      </div>
      {error !== undefined && (
        <p className="notice error" role="alert">
          {error}
        </p>
      )}
      <DatasetDeltas left={left} right={right} />
      {data !== undefined && <Rows page={data} left={left} right={right} />}
      <div className="row">
        <button type="button" disabled={from === 0} onClick={onFirst} title="g">
          First rows
        </button>
        <button type="button" disabled={next === null} onClick={onNext} title="j">
          Further rows
        </button>
      </div>
    </div>
  );
}

interface RowsProps {
  readonly page: Page;
  readonly left: DatasetEntry;
  readonly right: DatasetEntry;
}

function Rows({ page, left, right }: RowsProps): ReactNode {
  const { rows, total, from, next, columns } = page;
  const changed = rows.filter((row) => row.changed.length > 0).length;
  const missing = rows.filter((row) => row.left === null || row.right === null).length;
  const isMissing =
    missing === 0 ? '' : `, ${formatCount(missing)} ${missing === 1 ? 'is' : 'are'} in one dataset only`;
  const alone = columns.filter((column) => column.in !== 'both');
  return (
    <>
      <p role="status">
        {total === 0
          ? 'Neither dataset has rows.'
          : `Rows ${formatCount(from)} to ${formatCount((next ?? total) - 1)} of ${formatCount(total)}: ${formatCount(changed)} ${changed === 1 ? 'differs' : 'differ'}${isMissing}.`}
      </p>
      {alone.length > 0 && (
        <p className="quiet">
          Columns of one dataset only, which are not compared: {visibleText(alone.map(({ name }) => name).join(', '))}.
        </p>
      )}
      {rows.map((row) => (
        <ComparedRow key={row.index} row={row} columns={columns} left={left} right={right} />
      ))}
    </>
  );
}
