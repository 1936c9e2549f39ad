import { join, resolve } from 'node:path';
import { DataDesignerError, isFailure } from '@data-designer/core';
import { type BatchFile, batchFiles, finishMerges } from './read/batch-files.ts';
import { TEMPORARY_NAME } from './files/commit-file.ts';
import { REMEDY_OF_RECORDS } from './repair/damaged-file.ts';
import type { DatasetMetadata } from './files/dataset-metadata.ts';
import { checkDatasetName, timeStampedName } from './files/dataset-name.ts';
import { type DatasetPaths, datasetPaths } from './dataset-paths.ts';
import { clearFailedTry, isFailedTry } from './files/failed-try.ts';
import { files } from './files/files.ts';
import { takeFolderLock } from './files/folder-lock.ts';
import { holdsEntries, journaledGroups, namesOf } from './journal/folder-journal.ts';
import { readJsonFile, writeJsonFile } from './files/json-file.ts';
import { makeFolder } from './files/make-folder.ts';
import { finishMending } from './repair/mend-files.ts';
import { markedGroups } from './logs/partial-groups.ts';
import { storageFailure } from './files/storage-failure.ts';
import { isRecord } from './encode/struct-member.ts';

/** Which folder to open. */
export interface DatasetFolderOptions {
  readonly artifactPath: string;
  readonly datasetName: string;
  /**
   * `true` goes on in an existing dataset; otherwise one that has files is left alone and a time is added to the name, unless
   * the files are all that a run without a row has left.
   */
  readonly resume?: boolean;
  readonly now?: () => Date;
}

/**
 * Opens a dataset's folder for writing, made if it is not there (0700) and locked until disposed. Fails with
 * `config/invalid` (name), `dataset/locked`, `dataset/unwritable`, or `dataset/missing` (nothing to resume).
 */
export async function openDatasetFolder(options: DatasetFolderOptions): Promise<DatasetFolder> {
  checkDatasetName(options.datasetName);
  const artifactPath = resolve(options.artifactPath);
  try {
    if (options.resume === true) return await openExisting(join(artifactPath, options.datasetName), options);
    return await openFresh(artifactPath, options);
  } catch (error) {
    throw storageFailure(error, join(artifactPath, options.datasetName));
  }
}

async function openExisting(folder: string, { datasetName }: DatasetFolderOptions): Promise<DatasetFolder> {
  if (await isEmpty(folder)) {
    throw new DataDesignerError('dataset/missing', { path: folder });
  }
  return open(folder, datasetName);
}

async function openFresh(artifactPath: string, options: DatasetFolderOptions): Promise<DatasetFolder> {
  const wanted = join(artifactPath, options.datasetName);
  for (const name of freeNames(options)) {
    const folder = join(artifactPath, name);
    const isReused = !(await isEmpty(folder));
    if (isReused && !(await isFailedTry(datasetPaths(folder)))) continue;
    const opened = await openUnlocked(folder, name, { isReused, divertedFrom: folder === wanted ? undefined : wanted });
    if (!opened) continue;
    // Another run may have begun and ended here between the look and the lock.
    if (await isFailedTry(opened.paths)) {
      if (isReused) await makeAnew(opened.paths);
      return opened;
    }
    await opened[Symbol.asyncDispose]();
  }
  throw new Error('The names of a new folder ran out.');
}

/** The folder of a failed try as a run finds a new one; for who holds its lock. */
async function makeAnew(paths: DatasetPaths): Promise<void> {
  await clearFailedTry(paths);
  await makeParts(paths);
}

/** Undefined where another run has begun there since it was looked at. */
async function openUnlocked(folder: string, name: string, found: FoundFolder): Promise<DatasetFolder | undefined> {
  try {
    return await open(folder, name, found);
  } catch (error) {
    if (isFailure(error, 'dataset/locked')) return undefined;
    throw error;
  }
}

/** The name itself, then with the time, then with a number more. */
function* freeNames({ datasetName, now = () => new Date() }: DatasetFolderOptions): Generator<string> {
  yield datasetName;
  const stamped = timeStampedName(datasetName, now());
  yield stamped;
  for (let copy = 2; ; copy++) yield `${stamped}_${copy}`;
}

async function open(folder: string, name: string, found: FoundFolder = {}): Promise<DatasetFolder> {
  const paths = datasetPaths(folder);
  await makeFolder(folder);
  const lock = await takeFolderLock(paths.lock);
  try {
    await makeParts(paths);
    await finishMending(paths);
    await finishMerges(paths);
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
  return new DatasetFolder(paths, { name, lock, ...found });
}

async function makeParts({ parquetFiles, partialFiles, journals }: DatasetPaths): Promise<void> {
  for (const part of [parquetFiles, partialFiles, journals]) await makeFolder(part);
}

async function isEmpty(folder: string): Promise<boolean> {
  return (await namesOf(folder)).length === 0;
}

/** How a folder for a new dataset was found. */
interface FoundFolder {
  readonly divertedFrom?: string | undefined;
  readonly isReused?: boolean;
}

/** A folder that is locked. */
interface OpenedFolder extends FoundFolder {
  readonly name: string;
  readonly lock: AsyncDisposable;
}

/** An open dataset folder: its paths, its small files, and the lock that keeps a second writer out. */
export class DatasetFolder implements AsyncDisposable {
  readonly name: string;
  readonly path: string;
  readonly paths: DatasetPaths;
  /** The folder that was asked for, where another dataset stands there; undefined where this is it. */
  readonly divertedFrom: string | undefined;
  /** Whether an earlier run has begun here, made no row, and left what it wrote. */
  readonly isReused: boolean;
  readonly #lock: AsyncDisposable;

  constructor(paths: DatasetPaths, { name, lock, divertedFrom, isReused = false }: OpenedFolder) {
    this.name = name;
    this.path = paths.folder;
    this.paths = paths;
    this.divertedFrom = divertedFrom;
    this.isReused = isReused;
    this.#lock = lock;
  }

  /** What `metadata.json` says; undefined before it is first written. */
  async readMetadata(): Promise<DatasetMetadata | undefined> {
    const { metadata: path } = this.paths;
    const metadata = await readJsonFile(path);
    if (metadata === undefined || isRecord(metadata)) return metadata as DatasetMetadata | undefined;
    throw new DataDesignerError('dataset/damaged', {
      path,
      reason: 'it holds no JSON object',
      remedy: REMEDY_OF_RECORDS,
    });
  }

  /** Merges the given keys into `metadata.json`, all or nothing; one call at a time. */
  async updateMetadata(changes: DatasetMetadata): Promise<void> {
    await writeJsonFile(this.paths.metadata, { ...(await this.readMetadata()), ...changes }, { sortKeys: true });
  }

  /** What `run.json` says, as plain JSON; undefined before it is first written. */
  readRun(): Promise<unknown> {
    return readJsonFile(this.paths.run, { exact: false });
  }

  /** Replaces `run.json`, all or nothing. Its keys keep their order: requests are made of what stands here. */
  async writeRun(run: unknown): Promise<void> {
    await writeJsonFile(this.paths.run, run);
  }

  /** The committed batch files, in the order of their groups. */
  batches(): Promise<readonly BatchFile[]> {
    return batchFiles(this.paths);
  }

  /** The row groups that are marked as not finished, those without a batch file included. */
  partialGroups(): Promise<readonly number[]> {
    return markedGroups(this.paths);
  }

  /** Whether rows were made here, or answers stand in a journal. */
  async hasAnswers(): Promise<boolean> {
    if ((await this.batches()).length > 0) return true;
    const groups = await journaledGroups(this.paths.journals);
    return [...groups].some((group) => holdsEntries(this.paths.journal(group)));
  }

  /** Removes what a run that was cut off left half-written; for when it is settled that this run goes on here. */
  async clearUnfinished(): Promise<void> {
    const { folder, journals, partialFiles } = this.paths;
    for (const place of [folder, journals]) {
      const leftOver = (await namesOf(place)).filter((name) => TEMPORARY_NAME.test(name));
      await Promise.all(leftOver.map((name) => files().unlink(join(place, name))));
    }
    await files().removeTree(partialFiles);
    await files().mkdir(partialFiles);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lock[Symbol.asyncDispose]();
  }
}
