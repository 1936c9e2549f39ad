import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { rowsIn, stringifyJson } from '@data-designer/core';
import {
  type DatasetMetadata,
  datasetPaths,
  hasAllGroups,
  readDataset,
  readJsonFile,
  readRunRecord,
} from '@data-designer/dataset';
import type { DatasetState } from './job.ts';
import { refusedCall } from './refused-call.ts';

/** The maximum number of listed datasets, the latest. */
const MAX_LISTED = 100;
/** The maximum characters of a page of records, which a model reads. */
const MAX_CHARACTERS = 200_000;

/** The states of the datasets in a folder, from their files, the latest first. */
export async function listStored(artifactPath: string): Promise<readonly DatasetState[]> {
  const names = await foldersIn(artifactPath);
  const dated = await Promise.all(
    names.map(async (name) => ({ name, changed: (await stat(join(artifactPath, name))).mtimeMs })),
  );
  const latest = dated.toSorted((a, b) => b.changed - a.changed).slice(0, MAX_LISTED);
  const states = await Promise.all(latest.map(({ name }) => storedState(artifactPath, name)));
  return states.filter((state) => state !== undefined);
}

/** The state of a dataset, from its files; undefined if there is none of that name. */
export async function storedState(artifactPath: string, dataset: string): Promise<DatasetState | undefined> {
  if (!(await foldersIn(artifactPath)).includes(dataset)) return undefined;
  const folder = join(resolve(artifactPath), dataset);
  const paths = datasetPaths(folder);
  const run = await readRunRecord(paths).catch(() => undefined);
  const metadata = (await readJsonFile(paths.metadata, { exact: false }).catch(() => undefined)) as
    | DatasetMetadata
    | undefined;
  if (run === undefined && metadata === undefined) return undefined;
  const segments = run?.plan.segments ?? [];
  return {
    dataset,
    folder,
    status: hasAllGroups(metadata, segments) ? 'complete' : 'unfinished',
    records: metadata?.actual_num_records ?? 0,
    requested: metadata?.target_num_records ?? rowsIn(segments),
    lost: [],
    warnings: [],
    seconds_left: null,
    cost: metadata?.cost ?? null,
    error: null,
  };
}

/** The names of folders directly in a folder: the name of a dataset is never a path. */
async function foldersIn(artifactPath: string): Promise<string[]> {
  try {
    const entries = await readdir(artifactPath, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** A range of records. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
  /** Default: all columns. */
  readonly columns?: readonly string[] | undefined;
}

/** Records of a dataset, and the offset of the next page; null after the last finished record. */
export interface ReadPage {
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly nextOffset: number | null;
}

/** Reads a page of finished records; fewer than requested if they are long. */
export async function readPage(folder: string, { offset, limit, columns }: Page): Promise<ReadPage> {
  const records: Record<string, unknown>[] = [];
  let characters = 0;
  for await (const record of readDataset(folder, { skip: offset })) {
    if (records.length >= limit) return { records, nextOffset: offset + records.length };
    const shown = columns ? only(record, columns) : record;
    characters += stringifyJson(shown).length;
    if (records.length > 0 && characters > MAX_CHARACTERS) return { records, nextOffset: offset + records.length };
    records.push(shown);
  }
  return { records, nextOffset: null };
}

function only(record: Readonly<Record<string, unknown>>, columns: readonly string[]): Record<string, unknown> {
  const missing = columns.find((column) => !Object.hasOwn(record, column));
  if (missing !== undefined) {
    throw refusedCall(`There is no column '${missing}'. The columns are ${Object.keys(record).join(', ')}.`);
  }
  return Object.fromEntries(columns.map((column) => [column, record[column]]));
}
