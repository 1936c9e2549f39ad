import { extname } from 'node:path';
import { type ArrowField, type CellValue, field, type Row, type RowReview, stringifyJson } from '@data-designer/core';
import { exportRows, type ExportTarget, writeText } from '../export/export-rows.ts';
import type { ExportFormat } from '../formats/formats.ts';
import { readDataset } from '../read-dataset.ts';
import { DatasetReviews, type ReviewUse } from './dataset-reviews.ts';

import { refuseOwnFiles } from '../export/refuse-own-files.ts';
/** How an export uses reviews. */
export interface ReviewExport extends ReviewUse {
  /** Adds the review of each row as columns (`_review_verdict` and so on), or writes the reviews to a file next to the export. */
  readonly reviews?: 'columns' | 'file' | undefined;
}

/** The columns of a review in exported rows. */
const COLUMNS: readonly (readonly [ArrowField, (review: RowReview) => CellValue])[] = [
  [field('_review_verdict', 'utf8'), ({ verdict }) => verdict],
  [field('_review_rating', 'int64'), ({ rating }) => rating],
  [field('_review_comment', 'utf8'), ({ comment }) => comment],
  [field('_review_edits', 'utf8', { json: true }), ({ edits }) => edits],
  [field('_review_author', 'utf8'), ({ author }) => author],
  [field('_review_time', 'utf8'), ({ time }) => time],
  [field('_review_stale', 'bool'), ({ isStale }) => isStale],
];

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
  #stale: readonly number[] = [];

  constructor(folder: string, fields: readonly ArrowField[], options: ReviewExport) {
    const added = new Set(COLUMNS.map(([{ name }]) => name));
    this.#folder = folder;
    this.#options = options;
    this.fields =
      options.reviews === 'columns'
        ? [...fields.filter(({ name }) => !added.has(name)), ...COLUMNS.map(([column]) => column)]
        : fields;
  }

  /** The positions of the rows whose reviews had no effect, because the rows changed after the review. */
  get stale(): readonly number[] {
    return this.#stale;
  }

  /** Writes rows to a file, and with `reviews: 'file'` their reviews to another. Throws `dataset/*`. */
  async write(path: string, target: ExportFormat | ExportTarget): Promise<void> {
    refuseOwnFiles(this.#folder, path);
    await exportRows({ records: this.records(), fields: this.fields }, path, target);
    if (this.#options.reviews !== 'file') return;
    await writeText(
      this.#reviews.map((review) => `${stringifyJson(review)}\n`),
      reviewsPath(path),
    );
  }

  /** The rows to export, in order. */
  async *records(): AsyncGenerator<Row> {
    const reviews = await DatasetReviews.open(this.#folder, this.#options);
    let position = 0;
    let exported = 0;
    for await (const row of readDataset(this.#folder)) {
      const reviewed = reviews.apply(row, position++);
      if (!reviewed) continue;
      const { review } = reviewed;
      if (review) this.#reviews.push({ ...review, row: exported, sourceRow: review.row });
      exported++;
      yield this.#options.reviews === 'columns' ? { ...reviewed.row, ...reviewColumns(review) } : reviewed.row;
    }
    this.#stale = reviews.stale;
  }
}

function reviewColumns(review: RowReview | undefined): Row {
  return Object.fromEntries(COLUMNS.map(([{ name }, valueOf]) => [name, review ? valueOf(review) : null]));
}

/** The file of the reviews next to an export: `rows.reviews.jsonl` for `rows.csv`. */
function reviewsPath(path: string): string {
  return `${path.slice(0, path.length - extname(path).length)}.reviews.jsonl`;
}
