import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import type { RecordAnswer } from '../../api/record.ts';
import { useSource } from '../data/data-source.ts';
import { formatCount } from '../format.ts';
import { lineOf } from '../parts/cell-text.tsx';
import { Link } from '../parts/link.tsx';
import { useAddress } from '../use-address.ts';
import { useKeys } from '../use-keys.ts';
import { visibleText } from '../visible-text.ts';
import { EDIT_SIGN, VERDICTS } from './review-mark.tsx';
import type { Decision } from './review-store.ts';
import { NOT_EDITED } from './edited-values.tsx';
import { useReviews } from './use-reviews.tsx';

/** How long the outcome for another row is shown. */
const SAID_MS = 6000;

interface BarProps {
  /** The row that the page names: verdicts are for it, whether or not its record has arrived. */
  readonly row: number;
  /** Its record; undefined while it loads. */
  readonly record: RecordAnswer | undefined;
  /** Whether its record could not be read. */
  readonly isUnreadable: boolean;
  /** Its place within the filter, such as `3 of 20`. */
  readonly place: string;
  /** Goes to the next row. */
  readonly onNext: () => void;
}

/** The row, its scores and the form of its review at the lower edge of the window, wherever the record is scrolled to. */
export function ReviewBar({ row, record, isUnreadable, place, onNext }: BarProps): ReactNode {
  const { canReview } = useSource();
  const store = useReviews();
  const decide = (verdict: Decision, goesOn: boolean): void => {
    store.decide([row], verdict);
    if (goesOn) onNext();
  };
  // The row to edit once its record is there.
  const [awaited, setAwaited] = useState<number>();
  const isAwaited = awaited === row;
  const isThere = record !== undefined;
  useTypingAhead(isAwaited, () => setAwaited(undefined));
  useEffect(() => {
    if (awaited === undefined || (isAwaited && !isThere && !isUnreadable)) return undefined;
    // Its field is drawn by then.
    const soon = setTimeout(() => {
      if (!isAwaited || !isThere || !editText()) setAwaited(undefined);
    });
    return () => clearTimeout(soon);
  }, [awaited, isAwaited, isThere, isUnreadable]);
  const remove = (): void => store.remove(row, { onlyVerdict: true });
  const form = store.formOf(row, record?.hash ?? null);
  const rate = (rating: number | null): void => store.change(row, { ...form, rating });
  useKeys(
    canReview
      ? {
          a: () => decide('accept', true),
          A: () => decide('accept', false),
          r: () => decide('reject', true),
          R: () => decide('reject', false),
          u: remove,
          e: () => setAwaited(row),
          c: () => document.querySelector<HTMLElement>('.bar-comment')?.focus(),
          ...Object.fromEntries(RATINGS.map((one) => [`Shift+${one}`, () => rate(one)])),
          'Shift+0': () => rate(null),
          'Ctrl+Enter': () => {
            store.save(row);
            if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
          },
        }
      : {},
  );
  // Whoever goes to another row or page has the draft saved.
  useEffect(() => () => store.save(row), [store, row]);
  // The outcome for the row before is shown a while, and not once the reader has gone on.
  useEffect(() => () => store.forgetOthers(row), [store, row]);
  useEffect(() => {
    const soon = setTimeout(() => store.forgetOthers(row), SAID_MS);
    return () => clearTimeout(soon);
  }, [store, row, store.said]);
  const verdict = store.verdictOf(row);
  return (
    <section className="review-bar" aria-label="Review of the row">
      {/* The tools are last: what grows above them does not move them, as the bar is at the lower edge. */}
      <Unsaved row={row} />
      <div className="row bar-text">
        <b className="bar-row">Row {formatCount(row)}</b>
        <span className="quiet small">{place}</span>
        <Scores record={record} />
        <span className={`verdict ${verdict ?? 'quiet'}`}>
          {verdict === null ? 'no verdict' : `${VERDICTS[verdict].sign} ${VERDICTS[verdict].word}`}
        </span>
        {store.isEdited(row) && <span>{EDIT_SIGN} edited</span>}
        {canReview && verdict !== null && (
          <button type="button" className="plain" onClick={remove} title="u">
            Remove the verdict
          </button>
        )}
        <span role="status" className="small quiet">
          {isAwaited ? 'The record is loading, to be edited. Esc: not edited.' : store.said}
        </span>
      </div>
      {canReview && (
        <div className="row bar-tools">
          <button
            type="button"
            aria-pressed={verdict === 'accept' || verdict === 'edit'}
            onClick={() => decide('accept', true)}
            title="a: accept and go on; A: accept and stay"
          >
            Accept
          </button>
          <button
            type="button"
            aria-pressed={verdict === 'reject'}
            onClick={() => decide('reject', true)}
            title="r: reject and go on; R: reject and stay"
          >
            Reject
          </button>
          <RatingField rating={form.rating} onChange={rate} />
          <textarea
            key={row}
            className="bar-comment"
            aria-label="Comment"
            placeholder="Comment ( c )"
            rows={1}
            value={form.comment}
            onChange={({ target }) => store.change(row, { ...form, comment: target.value })}
          />
          <button type="button" disabled={!store.isChanged(row)} onClick={() => store.save(row)} title="Ctrl+Enter">
            Save
          </button>
        </div>
      )}
    </section>
  );
}

const RATINGS = [1, 2, 3, 4, 5] as const;

interface RatingProps {
  readonly rating: number | null;
  readonly onChange: (rating: number | null) => void;
}

function RatingField({ rating, onChange }: RatingProps): ReactNode {
  return (
    <fieldset className="row ratings" title="Shift+1 to Shift+5; Shift+0: no rating">
      <legend>Rating</legend>
      {RATINGS.map((one) => (
        <label key={one}>
          <input type="radio" name="rating" value={one} checked={rating === one} onChange={() => onChange(one)} />
          {one}
        </label>
      ))}
      <button type="button" className="plain" disabled={rating === null} onClick={() => onChange(null)}>
        None
      </button>
    </fieldset>
  );
}

/**
 * While a field is to open, keeps what is typed, which would be commands, and writes it into the field once that has the
 * focus. Escape ends that, and so does a field that cannot open.
 */
function useTypingAhead(isOn: boolean, onEnd: () => void): void {
  const end = useEffectEvent(onEnd);
  useEffect(() => {
    if (!isOn) return undefined;
    let typed = '';
    const onKey = (event: KeyboardEvent): void => {
      event.preventDefault();
      event.stopImmediatePropagation();
      if (event.key === 'Escape') end();
      else if (event.key === 'Backspace') typed = typed.slice(0, -1);
      else if (event.key === 'Enter') typed += '\n';
      else if (event.key.length === 1 && !event.metaKey && event.ctrlKey === event.altKey) typed += event.key;
    };
    const onFocus = ({ target }: FocusEvent): void => {
      if (!(target instanceof HTMLTextAreaElement)) return;
      // The field places its caret first.
      setTimeout(() => {
        if (typed !== '') document.execCommand('insertText', false, typed);
        typed = '';
        end();
      });
    };
    const listeners = [
      ['keydown', onKey],
      ['focusin', onFocus],
      [NOT_EDITED, () => end()],
    ] as const;
    for (const [name, listener] of listeners) globalThis.addEventListener(name, listener as EventListener, true);
    return () => {
      for (const [name, listener] of listeners) globalThis.removeEventListener(name, listener as EventListener, true);
    };
  }, [isOn]);
}

/** Edits the last text of a model, which most records end with, else the last value; returns false if there is none. */
function editText(): boolean {
  const [texts, all] = ['.record [data-text]', '.record .edit-value'].map((selector) =>
    Array.from(document.querySelectorAll<HTMLElement>(selector)),
  );
  const last = texts?.at(-1) ?? all?.at(-1);
  if (last === document.activeElement) return false;
  if (last?.matches('textarea')) last.focus();
  else last?.click();
  return last !== undefined;
}

/** The scores that judges gave the row. */
function Scores({ record }: { readonly record: RecordAnswer | undefined }): ReactNode {
  const scores = record?.fields.flatMap((field) => field.scores) ?? [];
  if (scores.length === 0) return null;
  return (
    <span className="bar-scores small">
      {scores.map(({ name, score }) => `${visibleText(name)} ${lineOf(score)}`).join(' · ')}
    </span>
  );
}

/** The rows whose changes could not be saved, with the way back to them. */
function Unsaved({ row }: { readonly row: number }): ReactNode {
  const store = useReviews();
  const { params } = useAddress();
  if (store.failures.size === 0) return null;
  return (
    <div role="alert" className="notice error small">
      {Array.from(store.failures, ([index, message]) => (
        <p key={index}>
          Row {formatCount(index)} is not saved: {visibleText(message)}{' '}
          {index !== row && (
            <Link page="record" row={index} params={params}>
              Go to row {formatCount(index)}
            </Link>
          )}
        </p>
      ))}
    </div>
  );
}
