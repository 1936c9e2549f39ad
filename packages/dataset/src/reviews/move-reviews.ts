import type { Review } from '@data-designer/core';
import { readDataset } from '../read-dataset.ts';
import { ReviewLog, rowHash } from './review-log.ts';

/**
 * Moves reviews to where their rows are now, by the hash of each row: rows may have been made in front of them. Returns how
 * many were moved. A crash leaves a review at its old place too, where it has no effect.
 */
export async function moveReviews(folder: string): Promise<number> {
  const log = new ReviewLog(folder);
  const current = await log.read();
  if (current.size === 0) return 0;
  const wanted = new Set([...current.values()].map(({ hash }) => hash));
  const places = new Map<string, number[]>();
  const hashes = new Map<number, string>();
  let position = 0;
  for await (const row of readDataset(folder)) {
    const hash = rowHash(row);
    if (wanted.has(hash)) {
      const known = places.get(hash);
      if (known) known.push(position);
      else places.set(hash, [position]);
    }
    if (current.has(position)) hashes.set(position, hash);
    position++;
  }
  const isStale = ({ row, hash }: Review) => hashes.get(row) !== hash;
  const taken = new Set([...current.values()].filter((review) => !isStale(review)).map(({ row }) => row));
  const moved: Review[] = [];
  const left: Review[] = [];
  // The last one first: rows are only ever added, so that no review is moved onto one that has yet to move.
  for (const review of [...current.values()].filter(isStale).toReversed()) {
    const row = places.get(review.hash)?.findLast((place) => place > review.row && !taken.has(place));
    if (row === undefined) continue;
    taken.add(row);
    moved.push({ ...review, row });
    left.push({ ...review, verdict: null, rating: null, comment: null, edits: null });
  }
  await log.add(...moved, ...left.filter(({ row }) => !taken.has(row)));
  return moved.length;
}
