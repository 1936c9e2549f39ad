import { userInfo } from 'node:os';
import { DataDesignerError, type Plan, type Review, type Row, type RowReview } from '@data-designer/core';
import { type DatasetPaths, type DatasetRows, stampText } from '@data-designer/dataset';
import { addReview, type GivenReview, ReviewLog, rowHash } from '@data-designer/dataset/reviews';
import { fitsReview, type ReviewKind } from '../review-kinds.ts';
import { RequestFailure } from './request-failure.ts';
import { StampedValue } from './stamped-value.ts';

/** The dataset whose rows are reviewed. */
interface ReviewedDataset {
  readonly paths: DatasetPaths;
  readonly plan: () => Promise<{ readonly plan: Plan }>;
  readonly currentRows: () => Promise<DatasetRows>;
  readonly row: (index: number) => Promise<Row>;
}

/** Rows that are compared with their reviews at once. */
const BLOCK_ROWS = 200;

/** The reviews of a dataset, compared with its rows; read again when the rows or the reviews have changed. */
export class ReviewIndex {
  readonly #dataset: ReviewedDataset;
  readonly #log: ReviewLog;
  readonly #list = new StampedValue<readonly RowReview[]>();
  /** The hashes of reviewed rows, while the dataset has the same rows: each verdict would read all of them again. */
  #hashes: { readonly version: string; readonly byRow: Map<number, string | undefined> } | undefined;

  constructor(dataset: ReviewedDataset) {
    this.#dataset = dataset;
    this.#log = new ReviewLog(dataset.paths.folder);
  }

  /** The state of the reviews: other filters by review apply once it changes. */
  async version(): Promise<string> {
    const { version } = await this.#dataset.currentRows();
    return `${version} ${(await stampText(this.#dataset.paths.reviews)) ?? ''}`;
  }

  /** The latest review of each row, in order of the rows. */
  async list(): Promise<readonly RowReview[]> {
    return this.#list.get(await this.version(), () => this.#read());
  }

  /** The review of a row; null without one. */
  async of(index: number, row: Row): Promise<RowReview | null> {
    const review = (await this.list()).find((one) => one.row === index);
    return review ? { ...review, isStale: review.hash !== rowHash(row) } : null;
  }

  /** The positions of rows by their review, for a filter; `isOthers` for the rows that are not listed. */
  async positions(wanted: ReviewKind): Promise<{ readonly isOthers: boolean; readonly rows: readonly number[] }> {
    const isOthers = wanted === 'none';
    const chosen = (await this.list()).filter((review) => isOthers || fitsReview(wanted, review));
    return { isOthers, rows: chosen.map(({ row }) => row) };
  }

  /** Stores a review under the name of this user. Throws a failure with the status 409 or 422 for one that does not fit. */
  async write(review: GivenReview): Promise<RowReview> {
    const { plan } = await this.#dataset.plan();
    const { folder } = this.#dataset.paths;
    try {
      const rows = await this.#dataset.currentRows();
      const { version } = rows;
      const rowAt = (row: number) => this.#dataset.row(row).catch(withoutMissing);
      const reviewed = { folder, fields: plan.fields, log: this.#log, rowAt };
      const written = await addReview(reviewed, { ...review, author: userName() });
      if (rows.version === version) this.#hashesOf(rows).set(written.row, written.hash);
      return written;
    } catch (thrown) {
      const { code, message } = DataDesignerError.fromUnknown(thrown);
      if (code === 'review/row-changed') throw new RequestFailure(409, code, message);
      if (code === 'review/invalid') throw new RequestFailure(422, code, message);
      throw thrown;
    }
  }

  async #read(): Promise<readonly RowReview[]> {
    const reviews: readonly Review[] = [...(await this.#log.read()).values()];
    const rows = await this.#dataset.currentRows();
    const hashes = this.#hashesOf(rows);
    const unknown = reviews.filter(({ row }) => !hashes.has(row));
    for (let from = 0; from < unknown.length; from += BLOCK_ROWS) {
      const block = unknown.slice(from, from + BLOCK_ROWS);
      const found = await rows.at(block.map(({ row }) => row));
      for (const [at, { row }] of block.entries()) hashes.set(row, found[at] && rowHash(found[at]));
    }
    // The row may come back with the next resume.
    return reviews.map((review) => ({ ...review, isStale: review.hash !== hashes.get(review.row) }));
  }

  #hashesOf({ version }: DatasetRows): Map<number, string | undefined> {
    if (this.#hashes?.version !== version) this.#hashes = { version, byRow: new Map() };
    return this.#hashes.byRow;
  }
}

function withoutMissing(thrown: unknown): undefined {
  if (thrown instanceof RequestFailure && thrown.code === 'view/not-found') return;
  throw thrown;
}

/** The name of this user; null where the system has none, as in some containers. */
function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
