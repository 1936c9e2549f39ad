import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { ComparableDataset, ComparePage as Page } from '../../../api/compare.ts';
import type { DatasetEntry } from '../../../api/datasets.ts';
import type { LiveFigures } from '../../../api/overview.ts';
import { withParams } from '../../address.ts';
import { useSource } from '../../data/data-source.ts';
import { useData } from '../../data/use-data.ts';
import { useDataset } from '../../data/use-dataset.tsx';
import { useVisible } from '../../data/use-visible.ts';
import { formatCount, pluralize } from '../../format.ts';
import { describeRunState } from '../../parts/run-states.ts';
import { useAddress, useChangeParams } from '../../use-address.ts';
import { useKeys } from '../../use-keys.ts';
import { visibleText } from '../../visible-text.ts';
import { ComparedRow } from './compared-row.tsx';
import { describeRowChoice, formatRowChoice, parseRowChoice, type RowChoice } from './compared-rows.ts';
import { ConfigChanges } from './config-changes.tsx';
import { DatasetDeltas } from './dataset-deltas.tsx';
import { RowChanges } from './row-changes.tsx';
import { useCounts } from './use-counts.ts';

/** The rows of two datasets at the same positions, with their differences. */
export function ComparePage(): ReactNode {
  const source = useSource();
  const { entry } = useDataset();
  const { params } = useAddress();
  const { data, error } = useData(`comparable with ${entry.id}`, (signal) =>
    source.ask('comparable', { dataset: entry.id }, signal),
  );
  if (data === undefined)
    return error === undefined ? (
      <p className="quiet">Looking for datasets…</p>
    ) : (
      <p className="notice error">{error}</p>
    );
  const other = data.datasets.find(({ id }) => id === params.get('with')) ?? data.datasets[0];
  if (other !== undefined) return <Comparison left={entry} right={other} others={data.datasets} />;
  return source.canReview ? (
    <p className="quiet">
      There is no other finished dataset in this folder. To compare with one elsewhere:{' '}
      <code>data-designer view FOLDER --compare OTHER</code>
    </p>
  ) : (
    <p className="quiet">
      This copy holds one dataset. A copy with two: <code>data-designer view FOLDER --compare OTHER --bundle site</code>
    </p>
  );
}

interface ComparisonProps {
  readonly left: DatasetEntry;
  readonly right: ComparableDataset;
  readonly others: readonly ComparableDataset[];
}

/** The rows on a page. */
const COUNT = 20;
/** A copy downloads more rows only when its reader asks for them. */
const MOST_COPIED = 20_000;

function Comparison({ left, right, others }: ComparisonProps): ReactNode {
  const source = useSource();
  const versions = [useDataset().version, useVersionOf(right)] as const;
  const version = versions.join(' ');
  const { params } = useAddress();
  const change = useChangeParams();
  const rowsRef = useRef<HTMLElement>(null);
  const [isCountWanted, setIsCountWanted] = useState(false);
  const choice = parseRowChoice(params.get('rows'));
  const place = placeIn(params);
  const request = { left: left.id, right: right.id, count: COUNT, rows: choice, ...place };
  const { data, error, isOld } = useData(`${version} ${JSON.stringify(request)}`, (signal) =>
    source.ask('compare', request, signal),
  );
  const total = data?.total ?? Infinity;
  const isCounted = source.canReview || total <= MOST_COPIED || isCountWanted;
  const { counts, error: countError } = useCounts({ left: left.id, right: right.id, version, isWanted: isCounted });
  const set = (changes: Readonly<Record<string, string | undefined>>): void =>
    change((old) => withParams(old, { from: undefined, to: undefined, row: undefined, ...changes }));
  const onChoose = (chosen: RowChoice): void => {
    set({ rows: formatRowChoice(chosen) });
    const rows = rowsRef.current;
    if (!rows) return;
    // The head of the page stays in view, and has two lines in a narrow window.
    rows.style.scrollMarginTop = `${(document.querySelector<HTMLElement>('.frame-head')?.offsetHeight ?? 0) + 8}px`;
    rows.scrollIntoView();
  };
  return (
    <div className="stack">
      <div className="row">
        <h2>Compare {visibleText(left.name)} with</h2>
        <select
          aria-label="Compare with"
          value={right.id}
          onChange={({ target }) => set({ with: target.value, rows: undefined })}
        >
          {others.map((other) => (
            <option key={other.id} value={other.id}>
              {optionText(other)}
            </option>
          ))}
        </select>
      </div>
      {[error, countError].map(
        (text) =>
          text !== undefined && (
            <p key={text} className="notice error" role="alert">
              {text}
            </p>
          ),
      )}
      <DatasetDeltas left={left} right={right} versions={versions} arePlanned={data?.arePlanned} />
      {counts !== undefined && <RowChanges counts={counts} onChoose={onChoose} />}
      {!isCounted && data !== undefined && (
        <p>
          <button type="button" onClick={() => setIsCountWanted(true)}>
            Compare all {formatCount(total)} rows
          </button>{' '}
          <span className="quiet">The browser downloads both datasets for it.</span>
        </p>
      )}
      {!source.canReview && (
        <p className="quiet small">
          A static copy has no cost of single rows, and their tokens only if it was made with <code>--traces</code>.{' '}
          <code>data-designer view</code> compares both.
        </p>
      )}
      <ConfigChanges left={left} right={right} doRowsDiffer={(counts?.changed ?? 0) > 0} />
      <section ref={rowsRef} className="stack compare-rows" aria-label="Rows" aria-busy={isOld}>
        <RowTools choice={choice} onChoose={onChoose} page={data} onMove={set} />
        {data !== undefined && <Rows page={data} left={left} right={right} choice={choice} />}
        {data !== undefined && data.rows.length > 2 && <Moves page={data} onMove={set} />}
      </section>
    </div>
  );
}

/** Changes with the rows and the state of a dataset that the page does not show otherwise. */
function useVersionOf({ id, facts }: ComparableDataset): string {
  const source = useSource();
  const isVisible = useVisible();
  const [seen, setSeen] = useState<{ readonly id: string; readonly version: string }>();
  useEffect(
    () =>
      isVisible
        ? source.watch?.(id, 'figures', { onEvent: (figures) => setSeen({ id, version: versionOf(figures) }) })
        : undefined,
    [source, id, isVisible],
  );
  return seen?.id === id ? seen.version : versionOf(facts);
}

/** The first event of an unchanged dataset says what the list of datasets said. */
function versionOf(facts: Pick<LiveFigures, 'rows' | 'state'> | null): string {
  return facts === null ? '' : `${facts.rows} ${facts.state}`;
}

function placeIn(params: URLSearchParams): { readonly from: number; readonly isBackwards?: boolean } {
  const numberIn = (name: string): number => Math.max(0, Math.trunc(Number(params.get(name) ?? 0)) || 0);
  const to = numberIn('to');
  return to > 0 ? { from: to, isBackwards: true } : { from: numberIn('from') };
}

function optionText({ name, facts }: ComparableDataset): string {
  if (facts === null) return visibleText(name);
  const { state, rows, sharedColumns } = facts;
  const [, stateText] = describeRunState(facts);
  const isOver = state === 'finished' && rows > 0 ? '' : `, ${stateText}`;
  return `${visibleText(name)} (${pluralize(rows, 'row')}, ${pluralize(sharedColumns, 'column')} in common${isOver})`;
}

interface MovesProps {
  readonly page: Page | undefined;
  readonly onMove: (changes: Readonly<Record<string, string | undefined>>) => void;
}

interface ToolsProps extends MovesProps {
  readonly choice: RowChoice;
  readonly onChoose: (choice: RowChoice) => void;
}

/** Which rows are shown, and the way to others. */
function RowTools({ choice, onChoose, page, onMove }: ToolsProps): ReactNode {
  const next = page?.next ?? null;
  const from = page?.from ?? 0;
  useKeys({
    j: () => next !== null && onMove({ from: String(next) }),
    k: () => from > 0 && onMove({ to: String(from) }),
    g: () => onMove({}),
  });
  const described = describeRowChoice(choice);
  return (
    <div className="row">
      <h3>Rows</h3>
      {described === undefined ? (
        <label className="row">
          <input
            type="checkbox"
            checked={choice.of === 'changed'}
            onChange={({ target }) => onChoose({ of: target.checked ? 'changed' : 'all' })}
          />
          Changed rows only
        </label>
      ) : (
        <ul className="chips">
          <li>
            <span className="chip-label">{visibleText(described)}</span>
            <button
              type="button"
              className="plain"
              aria-label={`Remove ${described}`}
              onClick={() => onChoose({ of: 'changed' })}
            >
              ×
            </button>
          </li>
        </ul>
      )}
      <Moves page={page} onMove={onMove} />
    </div>
  );
}

function Moves({ page, onMove }: MovesProps): ReactNode {
  const from = page?.from ?? 0;
  const next = page?.next ?? null;
  return (
    <div className="row">
      <button type="button" disabled={from === 0} onClick={() => onMove({})} title="g">
        First rows
      </button>
      <button type="button" disabled={from === 0} onClick={() => onMove({ to: String(from) })} title="k">
        Earlier rows
      </button>
      <button type="button" disabled={next === null} onClick={() => onMove({ from: String(next) })} title="j">
        Further rows
      </button>
    </div>
  );
}

interface RowsProps {
  readonly page: Page;
  readonly left: DatasetEntry;
  readonly right: DatasetEntry;
  readonly choice: RowChoice;
}

function Rows({ page, left, right, choice }: RowsProps): ReactNode {
  const { rows, columns } = page;
  const alone = columns.filter((column) => column.in !== 'both');
  const { params } = useAddress();
  const wanted = params.get('row');
  // Whoever comes back from a record is at its row.
  useEffect(() => {
    if (wanted !== null) document.querySelector(`#compared-${CSS.escape(wanted)}`)?.scrollIntoView();
  }, [wanted]);
  const sections = sectionsOf(rows);
  return (
    <>
      <p role="status">{rangeText(page, choice)}</p>
      {alone.length > 0 && (
        <p className="quiet compare-names">
          Columns of one dataset only, which are not compared: {visibleText(alone.map(({ name }) => name).join(', '))}.
        </p>
      )}
      {sections.map(([first, ...more]) =>
        first === undefined ? null : more.length > 0 ? (
          <p key={first.index} className="warn">
            Rows {formatCount(first.index)} to {formatCount(more.at(-1)?.index ?? 0)}:{' '}
            {visibleText((first.left === null ? left : right).name)} has no such rows.
          </p>
        ) : (
          <ComparedRow
            key={first.index}
            row={first}
            columns={columns}
            left={left}
            right={right}
            isPlanned={page.arePlanned}
          />
        ),
      )}
    </>
  );
}

type Row = Page['rows'][number];

/** The rows one by one, and consecutive rows that one dataset lacks together. */
function sectionsOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  const sections: Row[][] = [];
  for (const row of rows) {
    const last = sections.at(-1)?.at(-1);
    const isOn =
      last?.index === row.index - 1 &&
      ((last.left === null && row.left === null) || (last.right === null && row.right === null));
    if (isOn) sections.at(-1)?.push(row);
    else sections.push([row]);
  }
  return sections;
}

/** The rows that were looked at for this page, and how many of them are shown. */
function rangeText({ rows, total, from, next }: Page, choice: RowChoice): string {
  if (total === 0) return 'Neither dataset has rows.';
  const range = `Rows ${formatCount(from)} to ${formatCount((next ?? total) - 1)} of ${formatCount(total)}`;
  const described = describeRowChoice(choice);
  if (described !== undefined) return `${range}: ${visibleText(described)} in ${formatCount(rows.length)} of them.`;
  const changed = rows.filter((row) => row.changed.length > 0).length;
  const missing = rows.filter((row) => row.left === null || row.right === null).length;
  const isMissing =
    missing === 0 ? '' : `, ${formatCount(missing)} ${missing === 1 ? 'is' : 'are'} in one dataset only`;
  return `${range}: ${formatCount(changed)} ${changed === 1 ? 'differs' : 'differ'}${isMissing}.`;
}
