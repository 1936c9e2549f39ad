import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CellFailure, isFields, stringifyJson, systemCode } from '@data-designer/core';
import { commit, stage } from '../files/commit-file.ts';
import { files } from '../files/files.ts';
import { NO_HARD_LINKS } from '../files/folder-lock.ts';
import { ifThere } from '../files/missing-file.ts';
import { orStorageFailure } from '../files/storage-failure.ts';
import type { LoggedCounts } from '../logs/usage-log.ts';
import type { ImageSum } from '../logs/checksums.ts';
import type { FileSum } from '../files/file-sum.ts';

/** How long a record may be incomplete before its machine counts as lost, where records are written in place. */
const TORN_MS = 2000;
const TORN_LOOK_MS = 100;

/** A data file of a committed group, by names relative to the dataset's folder, since machines may mount it elsewhere. */
interface RecordedFile {
  readonly temporary: string;
  readonly path: string;
  readonly sum: FileSum;
}

/** What the logs of a dataset need of a committed group. */
export interface RecordedGroup extends LoggedCounts {
  readonly group: number;
  readonly failures: readonly CellFailure[];
  /** The images that its rows show; absent without any. */
  readonly images?: readonly ImageSum[];
}

/** The record of a committed row group: which attempt made it, its files and its result. */
export interface CommitRecord<Result extends RecordedGroup = RecordedGroup> {
  readonly machine: string;
  readonly epoch: number;
  /** The files, the main one last; null where the group has none and a later run makes it. */
  readonly files: readonly RecordedFile[] | null;
  readonly result: Result;
}

/**
 * Commits a row group for all machines: creates its record unless another attempt has one. Returns false if another attempt
 * was first, or if the run is over.
 */
export function publishCommit(path: string, record: CommitRecord): Promise<boolean> {
  return orStorageFailure(path, async () => {
    const text = `${stringifyJson(record)}\n`;
    try {
      const { temporary } = await stage(path, text);
      try {
        if (!(await createFrom(temporary, path, text))) return false;
      } finally {
        await files().unlink(temporary);
      }
      await files().syncFolder(dirname(path));
      return true;
    } catch (thrown) {
      const { cause } = thrown instanceof Error ? thrown : {};
      const codes = [systemCode(thrown), systemCode(cause)];
      if (codes.includes('EEXIST') || codes.includes('ENOENT')) return false;
      throw thrown;
    }
  });
}

/** The record of a row group; undefined if the group is not committed. */
export async function readCommit<Result extends RecordedGroup = RecordedGroup>(
  path: string,
): Promise<CommitRecord<Result> | undefined> {
  const text = await orStorageFailure(path, () => textOf(path));
  if (text === undefined) return undefined;
  try {
    const record: unknown = JSON.parse(text);
    return isRecord<Result>(record) ? record : undefined;
  } catch {
    // Without hard links a machine may have been lost while it wrote the record.
    return undefined;
  }
}

/** Gives the files of a committed group their names, which any machine may do and repeat. */
export async function placeFiles(folder: string, { files: recorded }: Pick<CommitRecord, 'files'>): Promise<void> {
  for (const { temporary, path } of recorded ?? []) {
    try {
      await commit({ temporary: join(folder, temporary), path: join(folder, path) });
    } catch (thrown) {
      // Another machine has placed it.
      const { cause } = thrown instanceof Error ? thrown : {};
      if (systemCode(cause) !== 'ENOENT') throw thrown;
    }
  }
}

/** Links a complete file to a name that must be free. File systems without hard links get a copy, which is not atomic. */
async function createFrom(temporary: string, path: string, text: string): Promise<boolean> {
  try {
    await files().link(temporary, path);
    return true;
  } catch (thrown) {
    if (!NO_HARD_LINKS.has(systemCode(thrown))) throw thrown;
    await moveTorn(path, temporary);
    await writeExclusively(path, text);
    // A machine that was suspended while it wrote may have been taken for lost.
    return (await textOf(path)) === text;
  }
}

async function writeExclusively(path: string, text: string): Promise<void> {
  const file = await files().open(path, 'ax');
  try {
    await files().write(file, text);
    await files().sync(file);
  } finally {
    await files().close(file);
  }
}

/** Moves a record away that a lost machine left incomplete: another attempt commits the group. */
async function moveTorn(path: string, temporary: string): Promise<void> {
  for (const deadline = performance.now() + TORN_MS; ; await sleep(TORN_LOOK_MS)) {
    const text = await textOf(path);
    if (text === undefined || text.endsWith('\n')) return;
    if (performance.now() > deadline) break;
  }
  // Only one of several machines can rename it.
  await ifThere(files().rename(path, join(dirname(path), `${basename(temporary)}.torn`)), undefined);
}

function textOf(path: string): Promise<string | undefined> {
  return ifThere(readFile(path, 'utf8'), undefined);
}

function isRecord<Result extends RecordedGroup>(value: unknown): value is CommitRecord<Result> {
  return isFields(value) && typeof value.epoch === 'number' && isFields(value.result);
}
