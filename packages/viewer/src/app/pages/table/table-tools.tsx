import { type ReactNode, useId, useState } from 'react';
import type { ColumnInfo } from '../../../api/columns.ts';
import type { RowReview } from '../../../api/reviews.ts';
import { type Download, useSource } from '../../data/data-source.ts';
import { fullRow } from '../../data/full-row.ts';
import { messageOf } from '../../data/use-data.ts';
import { useDataset } from '../../data/use-dataset.tsx';
import { pluralize } from '../../format.ts';
import { ReviewTools } from '../../reviews/review-tools.tsx';
import type { ReviewStore } from '../../reviews/review-store.ts';
import { useKeys } from '../../use-keys.ts';
import { visibleText } from '../../visible-text.ts';
import { KIND_TITLES } from './column-layout.ts';
import type { TableState } from './use-table-state.ts';

/** A copy of more rows takes long; a download does not. */
const MAX_COPIED = 200;

interface ToolsProps {
  readonly state: TableState;
  readonly columns: readonly ColumnInfo[];
  /** The rows of the filter; undefined before they are known. */
  readonly total: number | undefined;
  /** The marked rows, else the current one. */
  readonly indexes: readonly number[];
  readonly marked: number;
  readonly reviews: ReviewStore;
  readonly onUnmark: () => void;
  /** Moves to the row after the current one. */
  readonly onNext: () => void;
  /** Brings the current row into view; false if it was there, and a key may act on it. */
  readonly isBroughtIntoView: () => boolean;
}

/** Choose columns, copy rows as JSON, download the rows of the filter. */
export function TableTools(props: ToolsProps): ReactNode {
  const { state, columns, total, indexes, marked, reviews, onUnmark, onNext, isBroughtIntoView } = props;
  const { entry } = useDataset();
  const source = useSource();
  const [told, setTold] = useState({ text: '', of: '' });
  // Reviewed rows are downloaded as their reviewers left them, unless the reader wants the others.
  const [wantsEdits, setWantsEdits] = useState<boolean>();
  const hasEdits = [...reviews.byRow.values()].some(({ edits }) => edits !== null);
  const withEdits = hasEdits && (wantsEdits ?? true);
  const [wantsReviews, setWantsReviews] = useState(false);
  const withReviews = reviews.byRow.size > 0 && wantsReviews;
  // What was copied or downloaded is told until the rows or their parts are others, or a review has something to tell.
  const toldNow = JSON.stringify([state.filter, total, withEdits, withReviews, reviews.said]);
  const said = told.of === toldNow ? told.text : '';
  const setSaid = (text: string): void => setTold({ text, of: toldNow });
  const traces = withEdits ? tracesOfEdits(columns, [...reviews.byRow.values()]) : [];
  const copy = async (): Promise<void> => {
    const rows = await Promise.all(
      indexes.slice(0, MAX_COPIED).map(async (index) => {
        const row = await fullRow(source, { dataset: entry.id, index, columns });
        const { edits = null, isStale = true } = reviews.byRow.get(index) ?? {};
        return withEdits && !isStale ? { ...row, ...edits } : row;
      }),
    );
    await navigator.clipboard.writeText(JSON.stringify(rows.length === 1 ? rows[0] : rows, undefined, 2));
    setSaid(`${pluralize(rows.length, 'row')} copied`);
  };
  const onCopy = (): void => {
    copy().catch((error: unknown) => setSaid(`not copied: ${messageOf(error)}`));
  };
  const isHidden = (): boolean => marked === 0 && isBroughtIntoView();
  useKeys({ c: () => isHidden() || onCopy() });
  return (
    <div className="row table-tools">
      <ColumnPicker state={state} columns={columns} />
      <button type="button" onClick={onCopy} disabled={indexes.length === 0} title="c">
        {marked > 0 ? `Copy ${pluralize(Math.min(marked, MAX_COPIED), 'marked row')} as JSON` : 'Copy row as JSON'}
      </button>
      <ReviewTools reviews={reviews} indexes={indexes} marked={marked} onNext={onNext} isHidden={isHidden} />
      {marked > 0 && (
        <button type="button" className="plain" onClick={onUnmark}>
          Unmark all
        </button>
      )}
      <span className="row small">
        Download:
        {source.downloads(entry, state.filter, { edits: withEdits, reviews: withReviews }).map((download) => (
          <DownloadLink key={download.label} download={download} total={total} onSay={setSaid} />
        ))}
      </span>
      {hasEdits && (
        <label className="row small">
          <input type="checkbox" checked={withEdits} onChange={({ target }) => setWantsEdits(target.checked)} />
          with the edits of reviews
        </label>
      )}
      {reviews.byRow.size > 0 && (
        <label
          className="row small"
          title="Columns _review_verdict, _review_edited, _review_rating, _review_comment, _review_edits, _review_author, _review_time, _review_stale and _review_row, the number of the row"
        >
          <input type="checkbox" checked={withReviews} onChange={({ target }) => setWantsReviews(target.checked)} />
          with reviews and row numbers as columns
        </label>
      )}
      {traces.length > 0 && (
        <span className="small download-note">
          {traces.map(visibleText).join(', ')} {traces.length === 1 ? 'keeps' : 'keep'} the answer of the model where
          its value was edited.
        </span>
      )}
      <span className="quiet small" role="status">
        {said || reviews.said}
      </span>
    </div>
  );
}

/** The conversations whose last message differs from an edited value. */
export function tracesOfEdits(columns: readonly ColumnInfo[], reviews: readonly RowReview[]): readonly string[] {
  const edited = new Set(reviews.flatMap(({ edits, isStale }) => (isStale ? [] : Object.keys(edits ?? {}))));
  return columns.flatMap(({ name, kind, of }) => (kind === 'trace' && edited.has(of) ? name : []));
}

interface DownloadProps {
  readonly download: Download;
  readonly total: number | undefined;
  readonly onSay: (message: string) => void;
}

function DownloadLink({ download, total, onSay }: DownloadProps): ReactNode {
  const { fileName } = download;
  const tell = (): void => {
    if (fileName !== undefined) onSay(`${fileName}${total === undefined ? '' : `: ${pluralize(total, 'row')}`}`);
  };
  if ('address' in download) {
    return (
      <a href={download.address} download onClick={tell}>
        {download.label}
      </a>
    );
  }
  const save = async (): Promise<void> => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await download.make());
    link.download = download.fileName;
    link.click();
    URL.revokeObjectURL(link.href);
    tell();
  };
  const onClick = (): void => {
    save().catch((error: unknown) => onSay(`not downloaded: ${messageOf(error)}`));
  };
  return (
    <button type="button" className="plain" onClick={onClick}>
      {download.label}
    </button>
  );
}

function ColumnPicker({ state, columns }: Pick<ToolsProps, 'state' | 'columns'>): ReactNode {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const kinds = [...new Set(columns.map(({ kind }) => kind))];
  const hide = (names: readonly string[], isHidden: boolean): void => {
    const others = [...state.hidden].filter((name) => !names.includes(name));
    state.setList('hide', isHidden ? [...others, ...names] : others);
  };
  return (
    <>
      <button type="button" popoverTarget={id}>
        Columns{state.hidden.size > 0 ? ` (${state.hidden.size} hidden)` : ''}
      </button>
      <div
        id={id}
        popover="auto"
        className="menu column-picker"
        onToggle={({ newState }) => setIsOpen(newState === 'open')}
      >
        {isOpen &&
          kinds.map((kind) => {
            const own = columns.filter((column) => column.kind === kind);
            const names = own.map(({ name }) => name);
            const isAllHidden = names.every((name) => state.hidden.has(name));
            return (
              <fieldset key={kind}>
                <legend>
                  {KIND_TITLES[kind]}{' '}
                  <button type="button" className="plain" onClick={() => hide(names, !isAllHidden)}>
                    {isAllHidden ? 'show all' : 'hide all'}
                  </button>
                </legend>
                {own.map(({ name }) => (
                  <label key={name} className="row">
                    <input
                      type="checkbox"
                      checked={!state.hidden.has(name)}
                      onChange={() => state.toggle('hide', name)}
                    />
                    <span>{visibleText(name)}</span>
                    <button
                      type="button"
                      className="plain small"
                      aria-pressed={state.pinned.has(name)}
                      onClick={() => state.toggle('pin', name)}
                    >
                      pin
                    </button>
                  </label>
                ))}
              </fieldset>
            );
          })}
      </div>
    </>
  );
}
