import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import {
  type CellValue,
  DataDesignerError,
  fieldsOf,
  isFields,
  parseJson,
  type Review,
  type Row,
  stringifyJson,
  type ReviewVerdict,
} from '@data-designer/core';
import { type DatasetPaths, datasetPaths } from '../dataset-paths.ts';
import { readCheckedFile, writeCheckedFile } from '../files/checked-json.ts';
import { sortKeys } from '../files/json-file.ts';
import { checkedText, LineLog, parseLine } from '../logs/line-log.ts';

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

/**
 * The reviews of a dataset, one JSON object per line. A later line replaces the earlier ones of its row. Lines are only ever
 * added, to a copy as well: a line that is lost or damaged in the one is read from the other.
 */
export class ReviewLog {
  readonly #paths: Pick<DatasetPaths, 'reviews' | 'reviewsCopy' | 'reviewsCount'>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#paths = datasetPaths(folder);
  }

  /** Appends reviews in their order and syncs them, after those that are being appended. Throws `dataset/unwritable` or `dataset/disk-full`. */
  add(...given: readonly Review[]): Promise<void> {
    // A log of its own for each call: another program may have left an incomplete line since the last one.
    // The copy comes first: a line of which a crash left a part in the reviews is whole in the copy.
    const { reviews, reviewsCopy, reviewsCount } = this.#paths;
    const added = this.#last.then(async () => {
      // A gap in the numbers tells of lines that both files have lost.
      const { whole } = wholeLinesOf(await this.#files());
      const last = Math.max(whole.length, ...whole.map(numberOf), await this.#count());
      const numbered = given.map((review, at) => ({ ...review, number: last + 1 + at }));
      for (const path of [reviewsCopy, reviews]) await new LineLog(path).add(numbered);
      await writeCheckedFile(reviewsCount, { lines: last + given.length });
    });
    this.#last = added.catch(() => undefined);
    return added;
  }

  /** The current review of each row that has one. Throws `dataset/damaged` where neither file has a whole line. */
  async read(): Promise<ReadonlyMap<number, Review>> {
    const current = new Map<number, Review>();
    for (const review of await this.#reviews()) {
      if (isEmpty(review)) current.delete(review.row);
      else current.set(review.row, review);
    }
    return new Map([...current].toSorted(([a], [b]) => a - b));
  }

  /** The number of lines that were written; 0 where it is not known. */
  async #count(): Promise<number> {
    return Number(fieldsOf(await readCheckedFile(this.#paths.reviewsCount))['lines'] ?? 0);
  }

  /** The reviews and their copy, as far as they can be read. */
  async #files(): Promise<{ readonly own: ReadFile; readonly copy: ReadFile }> {
    const { reviews, reviewsCopy } = this.#paths;
    return { own: await readLines(reviews), copy: await readLines(reviewsCopy) };
  }

  async #reviews(): Promise<readonly Review[]> {
    const { reviews: path, reviewsCopy, reviewsCount } = this.#paths;
    const { own, copy } = await this.#files();
    if ('failure' in own && !('lines' in copy && copy.lines.length > 0)) throw own.failure;
    const { ownLines, otherLines, whole } = wholeLinesOf({ own, copy });
    const [lines, copied] = [linesIn(own), linesIn(copy)];
    if (ownLines.length > 0 && otherLines.length > 0 && whole.length === ownLines.length + otherLines.length) {
      const reason = `it and its copy ${basename(reviewsCopy)} have no line in common, so that one is of another dataset`;
      throw new DataDesignerError('dataset/damaged', {
        path,
        reason,
        remedy: 'Delete the one that is not of this dataset.',
      });
    }
    const lost = Math.max(await this.#count(), ...whole.map(numberOf)) - whole.length;
    if (lost > 0) {
      const reason = `${lost} of its lines are missing, and its copy ${basename(reviewsCopy)} lacks them too`;
      const remedy = `Restore the file from a copy, or remove the key number from its lines, delete ${basename(reviewsCount)}, and review the rows again.`;
      throw new DataDesignerError('dataset/damaged', { path, reason, remedy });
    }
    // Other programs write no copy, and may be writing the last line.
    const unfinished = copied.length === 0 && parseLine(lines.at(-1) ?? '{}') === undefined ? 1 : 0;
    const damaged = lines.length - unfinished - whole.length;
    if (damaged > 0) {
      const reason = `${damaged} of its lines are damaged, and its copy lacks them too`;
      const remedy = 'Restore the file from a copy, or remove these lines and review the rows again.';
      throw new DataDesignerError('dataset/damaged', { path, reason, remedy });
    }
    return whole.flatMap((line) => parseReview(line) ?? []);
  }
}

/** The lines of a file, or why it cannot be read. */
type ReadFile = { readonly lines: readonly string[] } | { readonly failure: unknown };

function linesIn(file: ReadFile): readonly string[] {
  return 'lines' in file ? file.lines : [];
}

/** The whole lines of both files, and all of them in their order. */
function wholeLinesOf({ own, copy }: { readonly own: ReadFile; readonly copy: ReadFile }) {
  const [ownLines, otherLines] = [wholeLines(linesIn(own)), wholeLines(linesIn(copy))];
  return { ownLines, otherLines, whole: mergedLines(ownLines, otherLines) };
}

async function readLines(path: string): Promise<ReadFile> {
  try {
    return { lines: await new LineLog(path).read() };
  } catch (failure) {
    return { failure };
  }
}

/** The lines whose checksum is right; lines of other programs have none. */
function wholeLines(lines: readonly string[]): readonly string[] {
  return lines.filter(
    (line) => checkedText(line) !== undefined || (parseReview(line) && !/,"check":\d+\}$/.test(line)),
  );
}

/** The lines of two files, each of which may lack some, in their order. */
function mergedLines(lines: readonly string[], others: readonly string[]): readonly string[] {
  const merged: string[] = [];
  let next = 0;
  for (const line of lines) {
    const at = others.indexOf(line, next);
    if (at !== -1) {
      merged.push(...others.slice(next, at));
      next = at + 1;
    }
    merged.push(line);
  }
  return [...merged, ...others.slice(next)];
}

/** The number of a line; 0 for lines of other programs and of earlier versions. */
function numberOf(line: string): number {
  return Number(/,"number":(\d+),"check":\d+\}$/.exec(line)?.[1] ?? 0);
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
