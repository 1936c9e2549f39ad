import type { RequestOf } from '../../api/requests.ts';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import type { RecordAnswer } from '../../api/record.ts';
import type { RowReview } from '../../api/reviews.ts';
import { useSource } from '../data/data-source.ts';
import { messageOf, useData } from '../data/use-data.ts';
import { useDataset } from '../data/use-dataset.tsx';
import { useKeys } from '../use-keys.ts';
import { visibleText } from '../visible-text.ts';
import { EditedValues, editsOf, type EditTexts, textsOf } from './edited-values.tsx';
import { describeReview } from './review-mark.tsx';
import { decidedReview } from './use-reviews.ts';

/** A record that can be reviewed. */
interface Reviewed extends Pick<RecordAnswer, 'index' | 'review'> {
  readonly hash: string;
}
type GivenReview = RequestOf<'review'>['review'];

const RATINGS = [1, 2, 3, 4, 5] as const;

interface PanelProps {
  readonly record: RecordAnswer;
  /** Whether it is the record of the page; false while the next one loads, when no key applies to this one. */
  readonly isShown: boolean;
}

/** The review of a record: verdict, rating, comment and edited values. The keys a and r accept and reject at once. */
export function ReviewPanel({ record, isShown }: PanelProps): ReactNode {
  const { index, review, version } = record;
  const source = useSource();
  const { entry } = useDataset();
  // The hash of a large row comes after its record.
  const isMissing = record.hash === null && source.canReview;
  const { data, isOld } = useData(isMissing ? `hash ${entry.id} ${version} ${index}` : undefined, (signal) =>
    source.ask('row-hash', { dataset: entry.id, index }, signal),
  );
  const hash = record.hash ?? (isOld ? undefined : data?.hash);
  if (hash === undefined && isMissing) return <p className="quiet">Reading the row for its review…</p>;
  // A record that is read again has the review that was written meanwhile.
  const reviewed = { index, review, hash: hash ?? '' };
  return <Panel key={`${index} ${hash} ${review?.time ?? ''}`} record={reviewed} isShown={isShown} />;
}

function Panel({ record, isShown }: { readonly record: Reviewed; readonly isShown: boolean }): ReactNode {
  const source = useSource();
  const { entry } = useDataset();
  const [review, setReview] = useState(record.review);
  const [said, setSaid] = useState('');
  const [saved, setSaved] = useState(0);
  const write = (given: GivenReview): void => {
    source.ask('review', { dataset: entry.id, review: given }).then(
      (written) => {
        setReview(isEmpty(written) ? null : written);
        setSaved((times) => times + 1);
        setSaid('Saved.');
      },
      (error: unknown) => setSaid(`Not saved: ${messageOf(error)}`),
    );
  };
  const decide = (verdict: 'accept' | 'reject'): void => write(decidedReview({ ...record, review }, verdict));
  useKeys(source.canReview && isShown ? { a: () => decide('accept'), r: () => decide('reject') } : {});
  const id = useId();
  if (!source.canReview && review === null) return null;
  return (
    <section className="review" aria-labelledby={id}>
      <h2 id={id}>Review</h2>
      {review !== null && <ReviewSummary review={review} />}
      {source.canReview && <ReviewForm key={saved} record={record} review={review} onWrite={write} onSay={setSaid} />}
      <p role="status" className="small">
        {said}
      </p>
    </section>
  );
}

function isEmpty({ verdict, rating, comment, edits }: RowReview): boolean {
  return verdict === null && rating === null && comment === null && edits === null;
}

function ReviewSummary({ review }: { readonly review: RowReview }): ReactNode {
  const { author, time, comment, edits, isStale } = review;
  const by = author === null ? '' : ` by ${visibleText(author)}`;
  return (
    <div className={isStale ? 'notice' : ''}>
      <p>
        {describeReview(review)}
        <span className="quiet">
          {by}, {time.slice(0, 16).replace('T', ' ')} UTC
        </span>
      </p>
      {comment !== null && <p className="review-comment">{visibleText(comment)}</p>}
      {Object.entries(textsOf(edits)).map(([column, text]) => (
        <figure key={column}>
          <figcaption className="small quiet">New value of {visibleText(column)}</figcaption>
          <pre>{visibleText(text)}</pre>
        </figure>
      ))}
    </div>
  );
}

interface FormProps {
  readonly record: Reviewed;
  readonly review: RowReview | null;
  readonly onWrite: (review: GivenReview) => void;
  readonly onSay: (text: string) => void;
}

function ReviewForm({ record, review, onWrite, onSay }: FormProps): ReactNode {
  const { columns } = useDataset();
  const verdict = review === null || review.verdict === 'edit' ? null : review.verdict;
  const [rating, setRating] = useState(review?.rating ?? null);
  const [comment, setComment] = useState(review?.comment ?? '');
  const [texts, setTexts] = useState<EditTexts>(textsOf(review?.edits ?? null));
  const hasEdits = Object.keys(texts).length > 0;
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    try {
      const edits = editsOf(texts, columns) as GivenReview['edits'];
      const text = comment.trim() === '' ? null : comment;
      onWrite({
        row: record.index,
        hash: record.hash,
        verdict: edits ? 'edit' : verdict,
        rating,
        comment: text,
        edits,
      });
    } catch (error) {
      onSay(messageOf(error));
    }
  };
  return (
    <form className="stack" onSubmit={onSubmit}>
      <div className="row" role="group" aria-label="Verdict">
        {(['accept', 'reject'] as const).map((one) => (
          <button
            key={one}
            type="button"
            title={one === 'accept' ? 'a' : 'r'}
            aria-pressed={verdict === one && !hasEdits}
            disabled={hasEdits}
            onClick={() => onWrite(decidedReview({ ...record, review }, one))}
          >
            {one === 'accept' ? 'Accept' : 'Reject'}
          </button>
        ))}
        <RatingField rating={rating} onChange={setRating} />
      </div>
      <label className="stack">
        Comment
        <textarea rows={2} value={comment} onChange={(event) => setComment(event.target.value)} />
      </label>
      <EditedValues index={record.index} texts={texts} onChange={setTexts} />
      <div className="row">
        <button type="submit">Save the review</button>
        {review !== null && (
          <button
            type="button"
            className="plain"
            onClick={() =>
              onWrite({ row: record.index, hash: record.hash, verdict: null, rating: null, comment: null, edits: null })
            }
          >
            Remove the review
          </button>
        )}
      </div>
    </form>
  );
}

interface RatingProps {
  readonly rating: number | null;
  readonly onChange: (rating: number | null) => void;
}

function RatingField({ rating, onChange }: RatingProps): ReactNode {
  const id = useId();
  return (
    <label className="row" htmlFor={id}>
      Rating
      <select
        id={id}
        value={rating ?? ''}
        onChange={({ target }) => onChange(target.value === '' ? null : Number(target.value))}
      >
        <option value="">none</option>
        {RATINGS.map((one) => (
          <option key={one} value={one}>
            {one} of 5
          </option>
        ))}
      </select>
    </label>
  );
}
