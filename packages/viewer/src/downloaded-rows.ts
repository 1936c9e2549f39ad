import type { ArrowField, Row, RowReview } from '@data-designer/core';
import { editedRow, reviewColumns, withReviewFields } from '@data-designer/dataset/browser';

/** What a download has of the reviews of its rows. */
export interface DownloadChoice {
  /** Whether reviewed rows have the values that their reviewers gave them. */
  readonly edits: boolean;
  /** Whether rows have their number and their review in columns of their own. */
  readonly reviews: boolean;
}

/** The position of a row in the dataset, from 0. */
const ROW_COLUMN = '_review_row';

/** The fields of the rows of a download. */
export function downloadedFields(
  fields: readonly ArrowField[],
  { reviews }: Pick<DownloadChoice, 'reviews'>,
): readonly ArrowField[] {
  if (!reviews) return fields;
  const others = fields.filter(({ name }) => name !== ROW_COLUMN);
  return [...withReviewFields(others), { name: ROW_COLUMN, type: 'int64', nullable: true }];
}

/** A row with its review. Edits of a row that changed since have no effect. */
export function downloadedRow(
  row: Row,
  { index, review }: { readonly index: number; readonly review: RowReview | undefined },
  { edits, reviews }: DownloadChoice,
): Row {
  const edited = edits && review?.isStale === false ? editedRow(row, review) : row;
  return reviews ? { ...edited, ...reviewColumns(review), [ROW_COLUMN]: index } : edited;
}
