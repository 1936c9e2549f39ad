import {
  type ArrowField,
  type CellValue,
  DataDesignerError,
  isFailure,
  type Review,
  type Row,
  type RowReview,
  knownNames,
} from '@data-designer/core';
import { batchOf } from '../encode/row-chunks.ts';
import { datasetRowsAt } from '../read/rows-at.ts';
import { checkBatch } from '../write.ts';
import { isRating, isVerdict, MAX_RATING, type ReviewLog, rowHash, VERDICTS } from './review-log.ts';

/** A review to add; it replaces the earlier one of its row. Without verdict, rating, comment and edits it removes that one. */
export interface GivenReview extends Partial<Omit<Review, 'row' | 'time'>> {
  /** The position of the row in the dataset, from 0. */
  readonly row: number;
}

/** The dataset that is reviewed. */
interface Reviewed {
  readonly folder: string;
  readonly fields: readonly ArrowField[];
  readonly log: ReviewLog;
  /** Reads a row of the dataset as it is now; by default the block of rows that has it is read. */
  readonly rowAt?: (row: number) => Promise<Row | undefined>;
}

/**
 * Adds a review to a dataset. Throws `review/invalid` for a row, verdict, rating or edit that does not fit, `review/row-changed`
 * if the row has not the given hash, and `dataset/*`.
 */
export async function addReview({ folder, fields, log, rowAt }: Reviewed, given: GivenReview): Promise<RowReview> {
  const { row, rating = null, comment = null, author = null, edits = null } = given;
  const read = rowAt ?? ((position: number) => storedRow(folder, position));
  const stored = Number.isSafeInteger(row) && row >= 0 ? await read(row) : undefined;
  if (!stored) throw invalid(row, `there is no row ${row}`);
  const hash = rowHash(stored);
  if (given.hash !== undefined && given.hash !== hash) throw new DataDesignerError('review/row-changed', { row });
  const changed = Object.entries(edits ?? {});
  const { verdict: wanted = changed.length > 0 ? 'edit' : null } = given;
  if (!isVerdict(wanted)) throw invalid(row, `the verdict '${String(wanted)}' is not ${VERDICTS.join(', ')} or null`);
  // A row that is accepted with other values has one verdict, however it was given.
  const verdict = wanted === 'accept' && changed.length > 0 ? 'edit' : wanted;
  if (!isRating(rating)) throw invalid(row, `the rating ${String(rating)} is no integer from 1 to ${MAX_RATING}`);
  if (verdict === 'edit' && changed.length === 0) throw invalid(row, 'an edit needs new values');
  for (const [column, value] of changed) await checkEdit(fields, { row, column, value });
  const text = comment?.trim() ?? '';
  const review = {
    row,
    hash,
    verdict,
    rating,
    comment: text === '' ? null : text,
    edits: changed.length === 0 ? null : edits,
    author,
  };
  const added: Review = { ...review, time: new Date().toISOString() };
  await log.add(added);
  return { ...added, isStale: false };
}

async function storedRow(folder: string, position: number): Promise<Row | undefined> {
  const block = await datasetRowsAt(folder, position);
  return block?.rows[position - block.first];
}

async function checkEdit(
  fields: readonly ArrowField[],
  { row, column, value }: { readonly row: number; readonly column: string; readonly value: CellValue },
): Promise<void> {
  const field = fields.find(({ name }) => name === column);
  if (!field) {
    const known = knownNames(
      column,
      fields.map(({ name }) => name),
    ).replace(/\.$/, '');
    throw invalid(row, `there is no column '${column}'. ${known}`);
  }
  try {
    await checkBatch(batchOf([{ [column]: value }], [field]));
  } catch (thrown) {
    if (!isFailure(thrown, 'dataset/misfit')) throw thrown;
    const { expected, found } = thrown.data;
    throw invalid(row, `column '${column}' holds ${expected}, and the edit has ${found}`);
  }
}

function invalid(row: number, reason: string): DataDesignerError {
  return new DataDesignerError('review/invalid', { row, reason });
}
