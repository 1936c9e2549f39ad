import { createHash } from 'node:crypto';
import {
  type CellValue,
  isFields,
  parseJson,
  type Review,
  type Row,
  stringifyJson,
  type ReviewVerdict,
} from '@data-designer/core';
import { datasetPaths } from '../dataset-paths.ts';
import { sortKeys } from '../files/json-file.ts';
import { LineLog } from '../logs/line-log.ts';

/** All verdicts of a review. */
export const VERDICTS: readonly ReviewVerdict[] = ['accept', 'reject', 'edit'];

/** The best rating; the worst is 1. */
export const MAX_RATING = 5;

/** The hash of a row's values by column name; the order of columns does not count. */
export function rowHash(row: Row): string {
  return createHash('sha256')
    .update(stringifyJson(sortKeys(row)))
    .digest('hex')
    .slice(0, 32);
}

/** The reviews of a dataset, one JSON object per line. A later line replaces the earlier ones of its row. */
export class ReviewLog {
  readonly #path: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#path = datasetPaths(folder).reviews;
  }

  /** Appends a review and syncs it, after the reviews that are being appended. Throws `dataset/unwritable` or `dataset/disk-full`. */
  add(review: Review): Promise<void> {
    // A log of its own for each review: another program may have left an incomplete line since the last one.
    const added = this.#last.then(() => new LineLog(this.#path).add([review]));
    this.#last = added.catch(() => undefined);
    return added;
  }

  /** The current review of each row that has one; an incomplete line counts as none. */
  async read(): Promise<ReadonlyMap<number, Review>> {
    const current = new Map<number, Review>();
    for (const line of await new LineLog(this.#path).read()) {
      const review = parseReview(line);
      if (review && isEmpty(review)) current.delete(review.row);
      else if (review) current.set(review.row, review);
    }
    return new Map([...current].toSorted(([a], [b]) => a - b));
  }
}

/** Whether a review says nothing, which takes back an earlier one. */
function isEmpty({ verdict, rating, comment, edits }: Review): boolean {
  return verdict === null && rating === null && comment === null && edits === null;
}

/** The review of a line; undefined for an incomplete line and for anything else. */
function parseReview(line: string): Review | undefined {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch {
    return undefined;
  }
  if (!isFields(value)) return undefined;
  const { row, hash, verdict = null, rating = null, comment = null, edits = null, author = null, time = '' } = value;
  if (!isPosition(row) || typeof hash !== 'string' || typeof time !== 'string') return undefined;
  if (!isVerdict(verdict) || !isRating(rating) || !isText(comment) || !isText(author) || !isEdits(edits))
    return undefined;
  return { row, hash, verdict, rating, comment, edits, author, time };
}

function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Whether a value is a verdict, or null. */
export function isVerdict(value: unknown): value is ReviewVerdict | null {
  return value === null || VERDICTS.some((verdict) => verdict === value);
}

/** Whether a value is a rating, or null. */
export function isRating(value: unknown): value is number | null {
  return value === null || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_RATING);
}

function isText(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function isEdits(value: unknown): value is Readonly<Record<string, CellValue>> | null {
  return value === null || isFields(value);
}
