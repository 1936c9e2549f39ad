import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stringifyJson } from '@data-designer/core';
import { readDataset } from '@data-designer/dataset';
import type { DatasetState } from './job.ts';
import { refusedCall } from './refused-call.ts';

/** Datasets told of, at most: the latest. */
const MAX_LISTED = 100;
/** Characters of the records of one page, at most: what is shown to a model must have a bound. */
const MAX_CHARACTERS = 200_000;

/** The datasets in a folder as their files tell of them, the latest first. */
export async function listStored(artifactPath: string): Promise<readonly DatasetState[]> {
  const names = await foldersIn(artifactPath);
  const dated = await Promise.all(
    names.map(async (name) => ({ name, changed: (await stat(join(artifactPath, name))).mtimeMs })),
  );
  const latest = dated.toSorted((a, b) => b.changed - a.changed).slice(0, MAX_LISTED);
  const states = await Promise.all(latest.map(({ name }) => storedState(artifactPath, name)));
  return states.filter((state) => state !== undefined);
}

/** A dataset as its files tell of it; undefined where there is none of that name. */
export async function storedState(artifactPath: string, dataset: string): Promise<DatasetState | undefined> {
  if (!(await foldersIn(artifactPath)).includes(dataset)) return undefined;
  const folder = join(resolve(artifactPath), dataset);
  const run = (await readJson(join(folder, 'run.json'))) as RunFile | undefined;
  const metadata = (await readJson(join(folder, 'metadata.json'))) as MetadataFile | undefined;
  if (run === undefined && metadata === undefined) return undefined;
  const { segments = [] } = run?.plan ?? {};
  const groups = segments.reduce((sum, { rows, groupSize }) => sum + Math.ceil(rows / groupSize), 0);
  const isWhole = groups > 0 && (metadata?.num_completed_batches ?? 0) >= groups;
  return {
    dataset,
    folder,
    status: isWhole ? 'complete' : 'unfinished',
    records: metadata?.actual_num_records ?? 0,
    requested: metadata?.target_num_records ?? segments.reduce((sum, { rows }) => sum + rows, 0),
    lost: [],
    seconds_left: null,
    cost: metadata?.cost ?? null,
    error: null,
  };
}

interface RunFile {
  readonly plan?: { readonly segments?: readonly { readonly rows: number; readonly groupSize: number }[] };
}

interface MetadataFile {
  readonly actual_num_records?: number;
  readonly target_num_records?: number;
  readonly num_completed_batches?: number;
  readonly cost?: number | null;
}

/** Only what stands in the folder itself is a dataset of it: a name is never a path. */
async function foldersIn(artifactPath: string): Promise<string[]> {
  try {
    const entries = await readdir(artifactPath, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** Which records of a dataset. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
  /** All columns unless given. */
  readonly columns?: readonly string[] | undefined;
}

/** Records of a dataset, and where the next begin; null after the last that is finished. */
export interface ReadPage {
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly nextOffset: number | null;
}

/** Reads a page of the finished records of a dataset's folder; fewer than asked for where they are long. */
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
    throw refusedCall(`There is no column '${missing}'; there are ${Object.keys(record).join(', ')}.`);
  }
  return Object.fromEntries(columns.map((column) => [column, record[column]]));
}
