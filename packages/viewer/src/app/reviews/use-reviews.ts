import { useMemo, useState } from 'react';
import type { ReviewRequest, RowReview } from '../../api/reviews.ts';
import { useSource } from '../data/data-source.ts';
import { messageOf, useData } from '../data/use-data.ts';
import { useDataset } from '../data/use-dataset.tsx';

/** The reviews of the dataset. */
export interface Reviews {
  readonly byRow: ReadonlyMap<number, RowReview>;
  /** Gives rows a verdict; their rating and comment stay. */
  readonly decide: (rows: readonly number[], verdict: 'accept' | 'reject') => void;
  /** The outcome of the last decision, in words. */
  readonly said: string;
}

/** A review that changes only the verdict; the same verdict a second time removes it. */
export function decidedReview(
  { index, hash, review }: { readonly index: number; readonly hash: string; readonly review: RowReview | null },
  verdict: 'accept' | 'reject',
): ReviewRequest['review'] {
  const { rating = null, comment = null } = review ?? {};
  const isAgain = review?.verdict === verdict && !review.isStale;
  return { row: index, hash, verdict: isAgain ? null : verdict, rating, comment, edits: null };
}

/** Reads the reviews of all rows, and writes verdicts. */
export function useReviews(): Reviews {
  const source = useSource();
  const { entry, version } = useDataset();
  const [written, setWritten] = useState(0);
  const [said, setSaid] = useState('');
  const dataset = entry.id;
  const { data } = useData(`reviews ${dataset} ${version} ${written}`, (signal) =>
    source.ask('reviews', { dataset }, signal),
  );
  const byRow = useMemo(() => new Map(data?.reviews.map((review) => [review.row, review])), [data]);
  const decideAll = async (rows: readonly number[], verdict: 'accept' | 'reject'): Promise<void> => {
    for (const index of rows) {
      const { hash } = await source.ask('row-hash', { dataset, index });
      const reviewed = { index, hash, review: byRow.get(index) ?? null };
      await source.ask('review', { dataset, review: decidedReview(reviewed, verdict) });
    }
  };
  const decide = (rows: readonly number[], verdict: 'accept' | 'reject'): void => {
    decideAll(rows, verdict)
      .then(
        () => setSaid('Reviewed.'),
        (error: unknown) => setSaid(`Not reviewed: ${messageOf(error)}`),
      )
      .finally(() => setWritten((times) => times + 1));
  };
  return { byRow, decide, said };
}
