import type { Review, Row, RowReview } from '@data-designer/core';
import type { RowBlock } from '../formats/dataset-format.ts';
import { datasetRowsAt } from '../read/rows-at.ts';
import { editedRow, isAccepted } from './review-columns.ts';
import { ReviewLog, rowHash } from './review-log.ts';

/** How reviews change the rows that are read. Reviews of rows that changed since have no effect. */
export interface ReviewUse {
  /** Replaces values by those of edits; default false. */
  readonly applyEdits?: boolean | undefined;
  /** Leaves out rejected rows; default false. */
  readonly dropRejected?: boolean | undefined;
  /** Leaves out all rows that are not accepted, with edits or without; default false. */
  readonly acceptedOnly?: boolean | undefined;
}

/** A row that reviews leave in, with the edited values if edits are applied. */
interface ReviewedRow {
  readonly row: Row;
  readonly review: RowReview | undefined;
}

/** The reviews of a dataset, compared with its rows as these are read. */
export class DatasetReviews {
  readonly #current: ReadonlyMap<number, Review>;
  readonly #use: ReviewUse;
  readonly #stale: number[] = [];
  readonly #undecided: number[] = [];

  private constructor(current: ReadonlyMap<number, Review>, use: ReviewUse) {
    this.#current = current;
    this.#use = use;
  }

  static async open(folder: string, use: ReviewUse = {}): Promise<DatasetReviews> {
    return new DatasetReviews(await new ReviewLog(folder).read(), use);
  }

  /** The positions of the rows read so far whose review is stale. */
  get stale(): readonly number[] {
    return this.#stale;
  }

  /** The positions of the rows read so far that were left out although they have edits, because they have no verdict. */
  get undecided(): readonly number[] {
    return this.#undecided;
  }

  /** The positions of rows with a review, in order. */
  get positions(): Iterable<number> {
    return this.#current.keys();
  }

  /** The review of a row; undefined without one. */
  of(row: Row, position: number): RowReview | undefined {
    const review = this.#current.get(position);
    return review && { ...review, isStale: review.hash !== rowHash(row) };
  }

  /** The row as reviewed; undefined if it is left out. */
  apply(row: Row, position: number): ReviewedRow | undefined {
    const review = this.of(row, position);
    if (review?.isStale) this.#stale.push(position);
    const valid = review?.isStale ? undefined : review;
    const { applyEdits = false, dropRejected = false, acceptedOnly = false } = this.#use;
    if (acceptedOnly && !isAccepted(valid)) {
      if (valid && valid.verdict === null && valid.edits !== null) this.#undecided.push(position);
      return undefined;
    }
    if (dropRejected && valid?.verdict === 'reject') return undefined;
    return { row: applyEdits && valid ? editedRow(row, valid) : row, review };
  }
}

/** The reviews of a dataset in order of their rows, compared with these; none of rows that are gone. Throws `dataset/*`. */
export async function* readReviews(folder: string): AsyncGenerator<RowReview> {
  const reviews = await DatasetReviews.open(folder);
  let block: RowBlock | undefined;
  for (const position of reviews.positions) {
    if (!block || position >= block.first + block.rows.length) block = await datasetRowsAt(folder, position);
    const row = block?.rows[position - block.first];
    const review = row && reviews.of(row, position);
    if (!review) return;
    yield review;
  }
}
