import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CellFailure, type FailureCode, isRetryable } from '@data-designer/core';
import type { DatasetPaths } from '../dataset-paths.ts';
import { changedFile, orDamaged } from '../files/damaged-file.ts';
import { type FileSum, findDamage, sumFile } from '../files/file-sum.ts';
import { files } from '../files/files.ts';
import { linkOrCopy } from '../files/link-or-copy.ts';
import { makeFolder, removeIfEmpty } from '../files/make-folder.ts';
import { orStorageFailure } from '../files/storage-failure.ts';
import { batchName } from '../formats/batch-files.ts';
import { BATCH_FORMATS, type BatchFormat, DEFAULT_FORMAT } from '../formats/formats.ts';
import { folderJournal } from '../journal/folder-journal.ts';
import { type CellPlace, FrameBuffer, placeKey } from '../journal/journal-file.ts';
import type { Checksums } from '../logs/checksums.ts';
import { markPartial, type PartialGroup, type RowsAgain } from '../logs/partial-groups.ts';
import { sideFolders, type SideTable } from '../side-tables.ts';

/** What a failure says about a cell and its row. */
export type Failed = Pick<CellFailure, 'row' | 'column' | 'code' | 'onFailure'>;

/** The indexes of the rows that failed cells or processors have cost. */
export function lostRowsOf(failures: readonly Failed[]): ReadonlySet<number> {
  return new Set(failures.filter(({ onFailure }) => onFailure === 'drop_row').map(({ row }) => row));
}

/** Refusals of the last request of a cell: no journal keeps them, and the answers before them are of use. */
const REFUSALS: ReadonlySet<FailureCode> = new Set([
  'model/context-exceeded',
  'model/unprocessable',
  'model/unsupported-parameter',
  'model/rejected',
  'model/text-only',
  'model/no-choice',
]);

/** The cells of lost rows that failed for good; others failed by something that may pass, such as a lost connection. */
export function failedForGood(failures: readonly Failed[]): readonly Failed[] {
  const lost = lostRowsOf(failures);
  return failures.filter(({ row, column, code }) => lost.has(row) && column !== '' && !isRetryable(code));
}

/** The failed cells of lost rows whose answers were of no use: a replay would fail with them again. */
export function uselessCells(failures: readonly Failed[]): readonly CellPlace[] {
  return failedForGood(failures).filter(({ code }) => !REFUSALS.has(code));
}

/**
 * Replaces the journal of a committed row group by the useful answers of its lost rows, so that they are not paid for again.
 * May be repeated after a crash.
 */
export async function keepLostAnswers(
  paths: Pick<DatasetPaths, 'journal' | 'lostJournal' | 'journals'>,
  group: number,
  failures: readonly Failed[],
): Promise<void> {
  const journal = folderJournal(paths.journal(group));
  const lost = lostRowsOf(failures);
  if (lost.size > 0) {
    const useless = new Set(uselessCells(failures).map(placeKey));
    const buffer = new FrameBuffer();
    for (const entry of (await journal.read()).entries)
      if (lost.has(entry.row) && !useless.has(placeKey(entry))) buffer.add(entry);
    if (buffer.bytes.length > 0) await replaceLost(paths, group, buffer.bytes);
  }
  await journal.remove();
}

async function replaceLost(
  { lostJournal, journals }: Pick<DatasetPaths, 'lostJournal' | 'journals'>,
  group: number,
  frames: Buffer,
): Promise<void> {
  const path = lostJournal(group);
  await orStorageFailure(path, () => makeFolder(dirname(path), { within: journals }));
  await folderJournal(path).remove();
  await append(path, frames);
}

async function append(journal: string, frames: Buffer): Promise<void> {
  const { segment } = folderJournal(journal).open();
  try {
    segment.append(frames);
    await segment.sync();
  } finally {
    await segment.close();
  }
}

/**
 * Makes a committed row group unfinished, with a second name for its files, so that its lost rows can be made again. `mark`
 * has its counts so far; `finishAgain` completes the rest after a crash.
 */
export async function beginAgain(
  paths: DatasetPaths,
  group: number,
  { mark, ...kept }: { readonly mark: PartialGroup & { readonly again: RowsAgain } } & KeptTables,
): Promise<void> {
  const sums = await keepFiles(paths, group, kept);
  await markPartial(paths, group, { ...mark, again: { ...mark.again, sums } });
  await finishAgain(paths, group);
}

/** Moves the journal of lost rows to where the row group finds it. */
export async function finishAgain(paths: DatasetPaths, group: number): Promise<void> {
  const from = paths.lostJournal(group);
  // A crash may have left the empty folder.
  if (!existsSync(from)) return orStorageFailure(from, () => removeIfEmpty(dirname(from)));
  const to = paths.journal(group);
  await orStorageFailure(to, async () => {
    await files().removeTree(to);
    await files().rename(from, to);
    await files().syncFolder(paths.journals);
    await removeIfEmpty(dirname(from));
  });
}

/** Has the entries of some cells in a journal not count any more, so that the cells are made anew. */
export async function askAnew(journal: string, cells: readonly CellPlace[]): Promise<void> {
  if (cells.length === 0 || !existsSync(journal)) return;
  const buffer = new FrameBuffer();
  for (const cell of cells) buffer.addAskAnew(cell);
  await append(journal, buffer.bytes);
}

/** The tables of a dataset, with the format and the checksums of their files. */
interface KeptTables {
  readonly tables: readonly SideTable[];
  readonly format: BatchFormat;
  readonly checksums: Checksums;
}

/** The kept files of a row group, whose format their names do not tell apart. */
export function keptFiles(
  paths: Pick<DatasetPaths, 'keptFiles'>,
  group: number,
  tables: readonly SideTable[],
): { readonly rows: string; readonly sideTables: readonly string[] } {
  const folder = paths.keptFiles(group);
  const format = BATCH_FORMATS.find((one) => existsSync(join(folder, `rows.${one}`))) ?? DEFAULT_FORMAT;
  return filesIn(folder, tables, format);
}

function filesIn(folder: string, tables: readonly SideTable[], format: BatchFormat) {
  const sides = tables.map((_, position) => join(folder, `side-${position}.${format}`));
  return { rows: join(folder, `rows.${format}`), sideTables: sides };
}

/** Gives the files of a group a second name; returns their checksums. */
async function keepFiles(
  paths: DatasetPaths,
  group: number,
  { tables, format, checksums }: KeptTables,
): Promise<readonly (FileSum | null)[]> {
  const name = batchName(group, format);
  const folder = paths.keptFiles(group);
  const { rows, sideTables } = filesIn(folder, tables, format);
  const sides = tables.map(
    (table, position) => [sideFolders(paths, table).parquetFiles, sideTables[position]] as const,
  );
  const sums: (FileSum | null)[] = [];
  await orStorageFailure(folder, async () => {
    await files().removeTree(folder);
    await makeFolder(folder, { within: paths.folder });
    for (const [from, to = ''] of [[paths.parquetFiles, rows] as const, ...sides]) {
      await linkOrCopy(join(from, name), to);
      sums.push((await checksums.of(join(from, name))) ?? null);
    }
    await files().syncFolder(folder);
  });
  return sums;
}

/** Throws `dataset/damaged` for a kept file that differs from its checksum. */
export async function refuseChangedKept(path: string, sum: FileSum | null | undefined): Promise<void> {
  await orDamaged(path, async () => {
    if (sum && findDamage(await sumFile(path, sum.groups), sum)) throw changedFile(path, { isRecord: true });
  });
}
