import { type ReactNode, useId } from 'react';
import type { RecordAnswer } from '../../api/record.ts';
import type { RowReview } from '../../api/reviews.ts';
import { useSource } from '../data/data-source.ts';
import { visibleText } from '../visible-text.ts';
import { textsOf } from './edit-texts.ts';
import { describeReview } from './review-mark.tsx';
import { useReviews } from './use-reviews.tsx';

interface PanelProps {
  readonly record: RecordAnswer;
}

/** The stored review of a record. The bar at the lower edge has its form; new values are edited in their place. */
export function ReviewPanel({ record }: PanelProps): ReactNode {
  const source = useSource();
  const store = useReviews();
  const { index } = record;
  const review = store.byRow.get(index) ?? (source.canReview ? null : record.review);
  const id = useId();
  if (review === null) return null;
  return (
    <section className="review" aria-labelledby={id}>
      <h2 id={id}>Review</h2>
      <ReviewSummary review={review} />
      {source.canReview && (
        <button type="button" className="plain" onClick={() => store.remove(index)}>
          Remove the review
        </button>
      )}
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
