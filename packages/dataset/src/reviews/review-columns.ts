import {
  type ArrowField,
  type CellValue,
  field,
  type Review,
  type ReviewVerdict,
  type Row,
  type RowReview,
} from '@data-designer/core';

/** The columns of a review in exported rows. */
const COLUMNS: readonly (readonly [ArrowField, (review: RowReview) => CellValue])[] = [
  [field('_review_verdict', 'utf8'), decisionOf],
  [field('_review_edited', 'bool'), ({ edits }) => edits !== null],
  [field('_review_rating', 'int64'), ({ rating }) => rating],
  [field('_review_comment', 'utf8'), ({ comment }) => comment],
  [field('_review_edits', 'utf8', { json: true }), ({ edits }) => edits],
  [field('_review_author', 'utf8'), ({ author }) => author],
  [field('_review_time', 'utf8'), ({ time }) => time],
  [field('_review_stale', 'bool'), ({ isStale }) => isStale],
];

/** The fields of rows with the columns of their reviews, which replace columns of the same name. */
export function withReviewFields(fields: readonly ArrowField[]): readonly ArrowField[] {
  const added = new Set(COLUMNS.map(([{ name }]) => name));
  return [...fields.filter(({ name }) => !added.has(name)), ...COLUMNS.map(([column]) => column)];
}

/** The review of a row as columns; null values without one. */
export function reviewColumns(review: RowReview | undefined): Row {
  return Object.fromEntries(COLUMNS.map(([{ name }, valueOf]) => [name, review ? valueOf(review) : null]));
}

/** The row with the values of an edit; columns that it does not have are ignored. */
export function editedRow(row: Row, { edits }: Pick<Review, 'edits'>): Row {
  if (edits === null) return row;
  const changed = Object.entries(edits).filter(([column]) => Object.hasOwn(row, column));
  return { ...row, ...Object.fromEntries(changed) };
}

/** The verdict of a review in exports, whether or not it has edits: those are told apart from it. */
export function decisionOf({ verdict }: Pick<Review, 'verdict'>): Exclude<ReviewVerdict, 'edit'> | null {
  return verdict === 'edit' ? 'accept' : verdict;
}

/** Whether a reviewer accepted a row, as it is or with other values. */
export function isAccepted(review: Pick<Review, 'verdict'> | undefined): boolean {
  return review !== undefined && decisionOf(review) === 'accept';
}
