import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { DataDesignerError, isFailure, refuseAddress } from '@data-designer/core';
import { type BatchFile, batchFiles, finishMerges } from './formats/batch-files.ts';
import { TEMPORARY_NAME } from './files/commit-file.ts';
import { RECORD_REMEDY } from './files/damaged-file.ts';
import type { DatasetMetadata } from './files/dataset-metadata.ts';
import { checkDatasetName, timeStampedName } from './files/dataset-name.ts';
import { type DatasetPaths, datasetPaths } from './dataset-paths.ts';
import { clearRowlessRun, isRowlessRun } from './rowless-run.ts';
import { files } from './files/files.ts';
import { type FolderLock, takeClusterLock, takeFolderLock } from './files/folder-lock.ts';
import { holdsEntries, journaledGroups, namesOf } from './journal/folder-journal.ts';
import { readJsonFile, writeJsonFile } from './files/json-file.ts';
import { makeFolder } from './files/make-folder.ts';
import { ifThere } from './files/missing-file.ts';
import { finishRepair } from './repair/repair-files.ts';
import { markedGroups } from './logs/partial-groups.ts';
import { orStorageFailure } from './files/storage-failure.ts';
import { writeRunRecord } from './run-record.ts';
import { isStructValue } from './encode/struct-value.ts';

/** The folder to open. */
export interface DatasetFolderOptions {
  readonly artifactPath: string;
  readonly datasetName: string;
  /**
   * `true` continues an existing dataset. Otherwise a folder with files is left alone and the name gets a timestamp, unless
   * all its files come from a run that made no row.
   */
  readonly resume?: boolean;
  /** The id of a run on a cluster, whose machines share the folder. */
  readonly clusterRun?: string | undefined;
  /** Whether a run on a cluster that holds the folder has lost all its machines. */
  readonly isLost?: ((run: string, folder: string) => Promise<boolean>) | undefined;
  readonly now?: () => Date;
}

/** Opens the folder of a run on a cluster for the machine that coordinates it now, while the others use it. */
export async function takeOverFolder(path: string, cluster: string): Promise<DatasetFolder> {
  const paths = datasetPaths(path);
  const lock = await orStorageFailure(path, () => takeClusterLock(paths.lock, cluster));
  return new DatasetFolder(paths, { name: basename(path), lock, cluster });
}

/** Creates a dataset folder (0700) or opens it, and locks it until disposed; throws `config/invalid` and `dataset/*`. */
export async function openDatasetFolder(options: DatasetFolderOptions): Promise<DatasetFolder> {
  checkDatasetName(options.datasetName);
  refuseAddress(options.artifactPath);
  const artifactPath = resolve(options.artifactPath);
  const wanted = join(artifactPath, options.datasetName);
  return orStorageFailure(wanted, () =>
    options.resume === true ? openExisting(wanted, options) : openFresh(artifactPath, options),
  );
}

async function openExisting(
  folder: string,
  { datasetName, clusterRun: cluster, isLost }: DatasetFolderOptions,
): Promise<DatasetFolder> {
  if (await isEmpty(folder)) throw new DataDesignerError('dataset/missing', { path: folder, isResumed: true });
  return open(folder, datasetName, { cluster, isLost: isLost && ((run) => isLost(run, folder)) });
}

async function openFresh(artifactPath: string, options: DatasetFolderOptions): Promise<DatasetFolder> {
  const wanted = join(artifactPath, options.datasetName);
  for (const name of freeNames(options)) {
    const folder = join(artifactPath, name);
    const isReused = !(await isEmpty(folder));
    if (isReused && !(await isRowlessRun(datasetPaths(folder)))) continue;
    const divertedFrom = folder === wanted ? undefined : wanted;
    const opened = await openUnlocked(folder, name, { isReused, divertedFrom, cluster: options.clusterRun });
    if (!opened) continue;
    // Another run may have begun and ended here before this one had the lock.
    if (await isRowlessRun(opened.paths)) {
      if (isReused) {
        await clearRowlessRun(opened.paths);
        await makeSubfolders(opened.paths);
      }
      return opened;
    }
    await opened[Symbol.asyncDispose]();
  }
  throw new Error('No free name for a new folder was found.');
}

/** Opens a folder; undefined if another run holds its lock. */
async function openUnlocked(folder: string, name: string, found: FoundFolder): Promise<DatasetFolder | undefined> {
  try {
    return await open(folder, name, found);
  } catch (error) {
    if (isFailure(error, 'dataset/locked')) return undefined;
    throw error;
  }
}

/** The names to try: the given one, then with a timestamp, then with a timestamp and a number. */
function* freeNames({ datasetName, now = () => new Date() }: DatasetFolderOptions): Generator<string> {
  yield datasetName;
  const stamped = timeStampedName(datasetName, now());
  yield stamped;
  for (let copy = 2; ; copy++) yield `${stamped}_${copy}`;
}

async function open(folder: string, name: string, found: FoundFolder): Promise<DatasetFolder> {
  const paths = datasetPaths(folder);
  const madeParents = (await makeFolder(folder)).filter((one) => one !== folder);
  const lock = await takeFolderLock(paths.lock, found);
  try {
    await makeSubfolders(paths);
    // A run on a cluster was interrupted.
    if (!(await isEmpty(paths.clusters))) {
      const { mergeCommits, removeClusterRun } = await import('./cluster/merge-commits.ts');
      await mergeCommits(paths, { kept: found.cluster });
      for (const run of await namesOf(paths.clusters)) {
        if (run !== found.cluster) await removeClusterRun(paths, run);
      }
    }
    await finishFiles(paths);
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
  return new DatasetFolder(paths, { name, lock, madeParents, ...found });
}

/** Completes changes of several files that a killed process has begun. */
async function finishFiles(paths: DatasetPaths): Promise<void> {
  await finishRepair(paths);
  await finishMerges(paths);
}

async function makeSubfolders({ parquetFiles, partialFiles, journals }: DatasetPaths): Promise<void> {
  for (const path of [parquetFiles, partialFiles, journals]) await makeFolder(path);
}

function goneFolder(path: string, cause: unknown): DataDesignerError {
  const reason = 'the folder was removed or moved during the run';
  const remedy = 'Move it back and resume (--resume always), or start the run again.';
  return new DataDesignerError('dataset/unwritable', { path, reason, remedy }, { cause });
}

function isMetadata(value: unknown): value is DatasetMetadata {
  return isStructValue(value);
}

async function isEmpty(folder: string): Promise<boolean> {
  return (await namesOf(folder)).length === 0;
}

/** The state of a folder before a run opened it. */
interface FoundFolder {
  readonly divertedFrom?: string | undefined;
  readonly isReused?: boolean;
  readonly cluster?: string | undefined;
  readonly isLost?: ((run: string) => Promise<boolean>) | undefined;
}

/** A locked folder. */
interface OpenedFolder extends FoundFolder {
  readonly name: string;
  readonly lock: FolderLock;
  readonly madeParents?: readonly string[];
}

/** An open dataset folder: its paths, its small files, and the lock that excludes a second writer. */
export class DatasetFolder implements AsyncDisposable {
  readonly name: string;
  readonly path: string;
  readonly paths: DatasetPaths;
  /** The requested folder, if another dataset occupies it; else undefined. */
  readonly divertedFrom: string | undefined;
  /** Whether an earlier run made no row here and left its files. */
  readonly isReused: boolean;
  /** The folders above it that were made for it, the innermost first. */
  readonly madeParents: readonly string[];
  readonly #lock: FolderLock;
  readonly #isShared: boolean;

  constructor(
    paths: DatasetPaths,
    { name, lock, divertedFrom, isReused = false, cluster, madeParents = [] }: OpenedFolder,
  ) {
    this.name = name;
    this.path = paths.folder;
    this.paths = paths;
    this.divertedFrom = divertedFrom;
    this.isReused = isReused;
    this.madeParents = madeParents;
    this.#lock = lock;
    this.#isShared = cluster !== undefined;
  }

  /** Whether no other machine of a cluster has taken the folder over. */
  isHeld(): Promise<boolean> {
    return this.#lock.isHeld();
  }

  /**
   * Does the work of the run that holds the folder. Once another machine has the folder, a failure of the work becomes
   * `cluster/taken-over`: that machine may have removed what the work needed. Stops and handovers stay what they are. A
   * failure of a folder that is gone says so.
   */
  async whileHeld<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (cause) {
      const isWanted = isFailure(cause, 'run/aborted') || isFailure(cause, 'cluster/handed-over');
      if (isFailure(cause, 'dataset/unwritable') && !existsSync(this.path)) throw goneFolder(this.path, cause);
      if (isWanted || !this.#isShared || (await this.isHeld().catch(() => true))) throw cause;
      throw new DataDesignerError('cluster/taken-over', { path: this.path }, { cause });
    }
  }

  /** The content of `metadata.json`; undefined before it is first written. */
  async readMetadata(): Promise<DatasetMetadata | undefined> {
    const { metadata: path } = this.paths;
    const metadata = await readJsonFile(path);
    if (metadata === undefined || isMetadata(metadata)) return metadata;
    const reason = 'it contains no JSON object';
    throw new DataDesignerError('dataset/damaged', { path, reason, remedy: RECORD_REMEDY });
  }

  /** Merges the given keys into `metadata.json`, atomically; one call at a time. */
  async updateMetadata(changes: DatasetMetadata): Promise<void> {
    // A coordinator that was suspended may wake up here.
    if (this.#isShared && !(await this.isHeld()))
      throw new DataDesignerError('cluster/taken-over', { path: this.path });
    await writeJsonFile(this.paths.metadata, { ...(await this.readMetadata()), ...changes }, { sortKeys: true });
  }

  /** Replaces `run.json` and its copy. */
  async writeRun(run: object): Promise<void> {
    await writeRunRecord(this.paths, run);
  }

  /** The committed batch files in order of their row groups. */
  batches(): Promise<readonly BatchFile[]> {
    return batchFiles(this.paths);
  }

  /** The row groups marked as unfinished, with or without a batch file. */
  partialGroups(): Promise<readonly number[]> {
    return markedGroups(this.paths);
  }

  /** Whether the folder has rows or journaled answers. */
  async hasAnswers(): Promise<boolean> {
    if ((await this.batches()).length > 0) return true;
    const groups = await journaledGroups(this.paths.journals);
    return [...groups].some((group) => holdsEntries(this.paths.journal(group)));
  }

  /** Removes temporary and unfinished files of an interrupted run, once it is certain that this run continues it. */
  async clearUnfinished(): Promise<void> {
    const { folder, partialFiles } = this.paths;
    await this.clearTemporary();
    await files().removeTree(partialFiles);
    await makeFolder(partialFiles, { within: folder });
  }

  /** Completes what a killed process has begun; no other process may use the folder. */
  async finishFiles(): Promise<void> {
    await finishFiles(this.paths);
  }

  /** Removes the temporary files of writers that were killed; no other may be writing. */
  async clearTemporary(): Promise<void> {
    const { folder, journals, images } = this.paths;
    const inImages = await ifThere(readdir(images, { withFileTypes: true }), []);
    const columns = inImages.filter((entry) => entry.isDirectory()).map(({ name }) => join(images, name));
    for (const parent of [folder, journals, ...columns]) {
      const temporary = (await namesOf(parent)).filter((name) => TEMPORARY_NAME.test(name));
      await Promise.all(temporary.map((name) => files().unlink(join(parent, name))));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lock[Symbol.asyncDispose]();
  }
}
