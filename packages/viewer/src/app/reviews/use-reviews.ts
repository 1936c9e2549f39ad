import type { RequestOf } from '../../api/requests.ts';
import { useMemo, useState } from 'react';
import type { RowReview } from '../../api/reviews.ts';
import { useSource } from '../data/data-source.ts';
import { messageOf, useData } from '../data/use-data.ts';
import { useDataset } from '../data/use-dataset.tsx';
import { formatCount } from '../format.ts';

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
): RequestOf<'review'>['review'] {
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
    if (rows.length === 0) return setSaid('Not reviewed: the row is still loading.');
    decideAll(rows, verdict)
      .then(
        () => setSaid('Reviewed.'),
        (error: unknown) => setSaid(`Not reviewed: ${messageOf(error)}`),
      )
      .finally(() => setWritten((times) => times + 1));
  };
  return { byRow, decide, said };
}

/** Writes the verdict of a row before its record is loaded: for the row that the page names when the key is pressed. */
export function useReviewAhead(
  row: number,
  onWritten: () => void,
): { readonly decide: (verdict: 'accept' | 'reject') => void; readonly said: string } {
  const source = useSource();
  const { entry } = useDataset();
  const dataset = entry.id;
  const [said, setSaid] = useState('');
  const write = async (verdict: 'accept' | 'reject'): Promise<void> => {
    const { hash } = await source.ask('row-hash', { dataset, index: row });
    const { reviews } = await source.ask('reviews', { dataset });
    const review = reviews.find((one) => one.row === row) ?? null;
    await source.ask('review', { dataset, review: decidedReview({ index: row, hash, review }, verdict) });
  };
  const decide = (verdict: 'accept' | 'reject'): void => {
    write(verdict)
      .then(
        () => setSaid(`Row ${formatCount(row)} is reviewed.`),
        (error: unknown) => setSaid(`Row ${formatCount(row)} is not reviewed: ${messageOf(error)}`),
      )
      .finally(onWritten);
  };
  return { decide, said };
}
