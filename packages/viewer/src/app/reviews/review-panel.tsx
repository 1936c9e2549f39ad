import { type FormEvent, type ReactNode, useId } from 'react';
import type { RecordAnswer } from '../../api/record.ts';
import type { RowReview } from '../../api/reviews.ts';
import { useSource } from '../data/data-source.ts';
import { visibleText } from '../visible-text.ts';
import { textsOf } from './edit-texts.ts';
import { describeReview } from './review-mark.tsx';
import type { ReviewDraft } from './review-store.ts';
import { useReviews } from './use-reviews.tsx';

const RATINGS = [1, 2, 3, 4, 5] as const;

interface PanelProps {
  readonly record: RecordAnswer;
}

/** The review of a record: what is stored, and the form for its rating and comment. New values are edited in their place. */
export function ReviewPanel({ record }: PanelProps): ReactNode {
  const source = useSource();
  const store = useReviews();
  const { index } = record;
  const review = store.byRow.get(index) ?? (source.canReview ? null : record.review);
  const id = useId();
  if (!source.canReview && review === null) return null;
  return (
    <section className="review" aria-labelledby={id}>
      <h2 id={id}>Review</h2>
      {review !== null && <ReviewSummary review={review} />}
      {source.canReview && <ReviewForm record={record} isReviewed={review !== null} />}
    </section>
  );
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
  readonly record: RecordAnswer;
  readonly isReviewed: boolean;
}

function ReviewForm({ record: { index, hash }, isReviewed }: FormProps): ReactNode {
  const store = useReviews();
  const form = store.formOf(index, hash);
  const change = (part: Partial<ReviewDraft>): void => store.change(index, { ...form, ...part });
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    store.save(index);
  };
  return (
    <form className="stack" onSubmit={onSubmit}>
      <fieldset className="row ratings">
        <legend>Rating</legend>
        {RATINGS.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="rating"
              value={one}
              checked={form.rating === one}
              onChange={() => change({ rating: one })}
            />
            {one}
          </label>
        ))}
        {form.rating !== null && (
          <button type="button" className="plain" onClick={() => change({ rating: null })}>
            No rating
          </button>
        )}
      </fieldset>
      <label className="stack">
        Comment
        <textarea rows={2} value={form.comment} onChange={(event) => change({ comment: event.target.value })} />
      </label>
      <div className="row">
        <button type="submit" title="Ctrl+Enter">
          Save the review
        </button>
        {isReviewed && (
          <button type="button" className="plain" onClick={() => store.remove(index)}>
            Remove the review
          </button>
        )}
      </div>
    </form>
  );
}
