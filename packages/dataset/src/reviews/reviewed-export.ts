import { extname } from 'node:path';
import { type ArrowField, DataDesignerError, type Row, type RowReview, stringifyJson } from '@data-designer/core';
import { exportRows, type ExportTarget, writeText } from '../export/export-rows.ts';
import type { ExportFormat } from '../formats/formats.ts';
import { readDataset } from '../read-dataset.ts';
import { DatasetReviews, type ReviewUse } from './dataset-reviews.ts';
import { decisionOf, reviewColumns, withReviewFields } from './review-columns.ts';

import { refuseOwnFiles } from '../export/refuse-own-files.ts';
/** How an export uses reviews. */
export interface ReviewExport extends ReviewUse {
  /** Adds the review of each row as columns (`_review_verdict` and so on), or writes the reviews to a file next to the export. */
  readonly reviews?: 'columns' | 'file' | undefined;
}

/** A review of an exported row. */
interface ExportedReview extends RowReview {
  /** The position of the row in the dataset; `row` is its position in the export. */
  readonly sourceRow: number;
}

/** The rows of a dataset with its reviews, for one export. */
export class ReviewedExport {
  readonly fields: readonly ArrowField[];
  readonly #reviews: ExportedReview[] = [];
  readonly #folder: string;
  readonly #options: ReviewExport;
  /** The rows of the dataset, once all are read. */
  #read = 0;
  #stale: readonly number[] = [];
  #undecided: readonly number[] = [];

  constructor(folder: string, fields: readonly ArrowField[], options: ReviewExport) {
    this.#folder = folder;
    this.#options = options;
    this.fields = options.reviews === 'columns' ? withReviewFields(fields) : fields;
  }

  /** The positions of the rows whose reviews had no effect, because the rows changed after the review. */
  get stale(): readonly number[] {
    return this.#stale;
  }

  /** The positions of the rows that `acceptedOnly` left out although they have edits, because they have no verdict. */
  get undecided(): readonly number[] {
    return this.#undecided;
  }

  /** Writes rows to a file, and with `reviews: 'file'` their reviews to another. Throws `dataset/*`. */
  async write(path: string, target: ExportFormat | ExportTarget): Promise<void> {
    refuseOwnFiles(this.#folder, path);
    await exportRows({ records: this.exported(), fields: this.fields }, path, target);
    if (this.#options.reviews !== 'file') return;
    await writeText(
      this.#reviews.map((review) => `${stringifyJson(review)}\n`),
      reviewsPath(path),
    );
  }

  /** The rows to export, in order. Throws `dataset/empty` where reviews leave out all of them. */
  async *exported(): AsyncGenerator<Row> {
    let exported = 0;
    for await (const row of this.records()) {
      exported++;
      yield row;
    }
    if (this.#read === 0 || exported > 0) return;
    const [reason, option] =
      this.#options.acceptedOnly === true
        ? ['no row is accepted', '--accepted-only (acceptedOnly)']
        : ['all rows are rejected', '--drop-rejected (dropRejected)'];
    const leftOut = ` to export: ${reason}. Review them with data-designer view ${this.#folder}, or leave out ${option}.`;
    throw new DataDesignerError('dataset/empty', { path: this.#folder, leftOut });
  }

  /** The rows that reviews leave in, in order; there may be none. */
  async *records(): AsyncGenerator<Row> {
    const reviews = await DatasetReviews.open(this.#folder, this.#options);
    let position = 0;
    let exported = 0;
    for await (const row of readDataset(this.#folder)) {
      const reviewed = reviews.apply(row, position++);
      if (!reviewed) continue;
      const { review } = reviewed;
      if (review) this.#reviews.push(exportedReview(review, exported));
      exported++;
      yield this.#options.reviews === 'columns' ? { ...reviewed.row, ...reviewColumns(review) } : reviewed.row;
    }
    this.#read = position;
    this.#stale = reviews.stale;
    this.#undecided = reviews.undecided;
  }
}

function exportedReview(review: RowReview, row: number): ExportedReview {
  return { ...review, verdict: decisionOf(review), row, sourceRow: review.row };
}

/** The file of the reviews next to an export: `rows.reviews.jsonl` for `rows.csv`. */
function reviewsPath(path: string): string {
  return `${path.slice(0, path.length - extname(path).length)}.reviews.jsonl`;
}
