import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { DataDesignerError, isFields, type Plan, systemCode, type ToolSchema } from '@data-designer/core';
import type { DatasetPaths } from './dataset-paths.ts';
import { parseChecked, stringifyChecked } from './files/checked-json.ts';
import { writeDurably } from './files/commit-file.ts';
import { BATCH_FORMATS, type BatchFormat, isBatchFormat } from './formats/formats.ts';
import type { FileStamp } from './files/file-stamp.ts';
import { damagedFile, RECORD_REMEDY } from './files/damaged-file.ts';

/** The tool schemas that models receive, by provider; listed once and the same for the whole life of a dataset. */
export type FrozenTools = Readonly<Record<string, readonly ToolSchema[]>>;

/** A source file as `run.json` records it; the hash is null if no row is made from its content. */
export interface FileState extends FileStamp {
  readonly path: string;
  readonly sha256: string | null;
}

/** The source of a table's rows as `run.json` records it. */
export interface SourceState {
  readonly files: readonly FileState[];
  /** The version of the source, such as a commit on the Hub. */
  readonly revision?: string;
  /** The hash of rows that come from no file. */
  readonly sha256?: string;
}

/** The rows of a source that a table holds, in the order of the source or shuffled. */
interface TakenRows {
  readonly order: 'ordered' | 'shuffle';
  /** The first one, from 0. */
  readonly first: number;
  readonly rows: number;
}

/** A table of a run, as `run.json` records it. */
export interface TableRecord {
  readonly id: string;
  readonly rows: number;
  /** The number of rows of the run that it was made for. */
  readonly covers: number;
  readonly bytes: number;
  readonly source: SourceState;
  /** Absent where the rows of the table are no rows of the source. */
  readonly taken?: TakenRows;
}

/** The version of `run.json` that this program writes and reads. */
export const RUN_RECORD_VERSION = 1;
/** The versions of before 1.0.0, which a later format does not reuse. */
const DEVELOPMENT_VERSIONS: readonly unknown[] = [2, 3];

/** The content of `run.json`, which continued runs read. */
export interface RunRecord {
  readonly version: typeof RUN_RECORD_VERSION;
  readonly format: BatchFormat;
  readonly tools: FrozenTools;
  readonly plan: Plan;
  /** The digest of the declaration in `builder_config.json`; absent in records of earlier versions. */
  readonly declaration?: string;
  /** The seed tables and collections of the run. */
  readonly tables: readonly TableRecord[];
  /** The finished dataset that the rows were selected from; absent for a dataset that a run made. */
  readonly selectedFrom?: string;
  /** What the rules of a selection compared rows with; absent without such a rule. */
  readonly compared?: ComparedInputs;
}

/** Digests of the files and datasets that a selection compares rows with. */
export interface ComparedInputs {
  /** Of the benchmark items of `not_in`. */
  readonly notIn?: string;
  /** Of the compared cells in each dataset of `unique_against`, by the folder as it is declared. */
  readonly uniqueAgainst: Readonly<Record<string, string>>;
}

/** The record of a run and its copy. */
type RecordPaths = Pick<DatasetPaths, 'run' | 'runCopy'>;

/** A record as one of its two files has it. */
interface StoredRecord {
  readonly record: RunRecord;
  /** Whether the file differs from the checksum in it. */
  readonly isChanged: boolean;
}

/** A record that was read from its copy. */
export interface RestoredRecord {
  readonly path: string;
  /** The name of the copy. */
  readonly from: string;
  /** Why `run.json` cannot be used. */
  readonly reason: string;
}

/** Writes `run.json`, and then its copy, each atomically. Keys keep their order, because requests are built from them. */
export async function writeRunRecord({ run, runCopy }: RecordPaths, record: object): Promise<void> {
  const text = stringifyChecked(record);
  for (const path of [run, runCopy]) await writeDurably(path, text);
}

/** Whether a run of this tool has recorded its start in a folder. */
export function hasRunRecord({ run, runCopy }: RecordPaths): boolean {
  return existsSync(run) || existsSync(runCopy);
}

/**
 * Reads `run.json`, or its copy where the file is missing or cannot be parsed. Throws `dataset/damaged` where neither can be
 * used, where the file was changed, and where the two are of different runs.
 */
export async function readRunRecord(paths: RecordPaths): Promise<RunRecord> {
  return (await readEither(paths)).record;
}

/**
 * Writes `run.json` again from its copy where it cannot be used, else a lost copy from the file; undefined where the file can
 * be used. Throws as `readRunRecord` does.
 */
export async function restoreRunRecord(paths: RecordPaths): Promise<RestoredRecord | undefined> {
  const { run: path, runCopy } = paths;
  const { damage, hasCopy } = await readEither(paths);
  if (!damage) {
    if (!hasCopy) await writeDurably(runCopy, await readFile(path, 'utf8'));
    return undefined;
  }
  await writeDurably(path, await readFile(runCopy, 'utf8'));
  return { path, from: basename(runCopy), reason: damage.data.reason };
}

/** The record that counts, and why `run.json` itself cannot be used. */
interface ReadRecord {
  readonly record: RunRecord;
  readonly damage?: DataDesignerError<'dataset/damaged'>;
  readonly hasCopy: boolean;
}

async function readEither(paths: RecordPaths): Promise<ReadRecord> {
  const { run: path, runCopy } = paths;
  const own = await readStored(path);
  const copy = await readStored(runCopy);
  const whole = 'record' in copy && !copy.isChanged ? copy.record : undefined;
  if (!('record' in own)) {
    if (whole) return { record: whole, damage: own, hasCopy: true };
    throw own;
  }
  if (own.isChanged) throw changedRecord(path, whole && basename(runCopy));
  if (whole && !isSameRun(own.record, whole)) {
    const reason = `it and its copy ${basename(runCopy)} are of different runs: their seeds, columns or formats differ`;
    throw new DataDesignerError('dataset/damaged', {
      path,
      reason,
      remedy: 'Delete the one that is not of this dataset.',
    });
  }
  return { record: own.record, hasCopy: whole !== undefined };
}

function changedRecord(path: string, copy: string | undefined): DataDesignerError<'dataset/damaged'> {
  const reason = 'its content differs from the checksum in it, so that the next rows would not fit the others';
  const remedy =
    copy === undefined
      ? RECORD_REMEDY
      : `Delete it, and resume the dataset (--resume always): that restores it from ${copy}.`;
  return new DataDesignerError('dataset/damaged', { path, reason, remedy });
}

/** A killed run may have left an older copy: with other abilities of models, or of a time with fewer rows. */
function isSameRun(one: RunRecord, other: RunRecord): boolean {
  return one.plan.seed === other.plan.seed && one.plan.identity === other.plan.identity && one.format === other.format;
}

async function readStored(path: string): Promise<StoredRecord | DataDesignerError<'dataset/damaged'>> {
  let stored: ReturnType<typeof parseChecked>;
  try {
    stored = parseChecked(await readFile(path, 'utf8'));
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return damagedRecord(path, 'it is not there');
    return damagedFile(path, thrown) as DataDesignerError<'dataset/damaged'>;
  }
  const { value, isChanged } = stored;
  if (!isFields(value)) return damagedRecord(path, 'it contains no JSON object');
  const { version } = value;
  if (typeof version === 'number' && version !== RUN_RECORD_VERSION) {
    const isOfDevelopment = DEVELOPMENT_VERSIONS.includes(version);
    throw new DataDesignerError('dataset/other-version', { path, version, known: RUN_RECORD_VERSION, isOfDevelopment });
  }
  if (!isRecord(value)) return damagedRecord(path, 'it is not the record of a run');
  const { format } = value;
  if (!isBatchFormat(format)) {
    const reason = `the format of its files is '${String(format)}', but this version reads only ${BATCH_FORMATS.join(' and ')}`;
    throw damagedRecord(path, reason);
  }
  return { record: value, isChanged };
}

function damagedRecord(path: string, reason: string): DataDesignerError<'dataset/damaged'> {
  return new DataDesignerError('dataset/damaged', { path, reason, remedy: RECORD_REMEDY });
}

function isRecord(value: object): value is RunRecord {
  return (
    'version' in value &&
    'plan' in value &&
    isFields(value.plan) &&
    Array.isArray(value.plan['columns']) &&
    'tables' in value &&
    Array.isArray(value.tables)
  );
}
