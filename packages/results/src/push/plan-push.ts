import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DataDesignerError, fieldsOf, stringifyJson } from '@data-designer/core';
import {
  batchFiles,
  checkImages,
  ChecksumLog,
  DATA,
  datasetPaths,
  groupsIn,
  lostFile,
  readJsonFile,
  rejectChanged,
  sortKeys,
} from '@data-designer/dataset';
import { attemptFigures, type RunResult, unverifiedRows } from '@data-designer/engine';
import { columnStatistics, type CountedProfile } from '@data-designer/profile';
import { datasetCard } from './dataset-card.ts';
import type { HubTarget } from './hub-target.ts';
import type { PushToHubOptions } from './push-options.ts';
import { IMAGES, type PushedTable, pushedTables } from './pushed-tables.ts';
import { sharedConfig } from './shared-config.ts';

/** A file of a push, with its content. */
export interface PlannedFile {
  /** Its path on the Hub. */
  readonly path: string;
  readonly bytes: number;
  /** Its path in the dataset folder; null for a file that the push writes anew. */
  readonly source: string | null;
  /** The address of the file on disk, or the new content. */
  readonly content: URL | Blob;
}

/** A dataset to push. */
export interface PushedDataset {
  readonly result: RunResult;
  /** Counts the statistics for the card; needs no model. */
  readonly count: () => Promise<CountedProfile>;
}

/** The files of a dataset as they are placed on the Hub. Throws `dataset/empty` and `dataset/damaged`. */
export async function planPush(
  { result, count }: PushedDataset,
  target: HubTarget,
  options: Pick<PushToHubOptions, 'description' | 'tags' | 'reviews'>,
): Promise<readonly PlannedFile[]> {
  const { path: folder, plan } = result;
  const paths = datasetPaths(folder);
  const metadata = await readMetadata(paths.metadata);
  const tables = await pushedTables(folder);
  const [records] = tables;
  if (!records || records.files.length === 0 || result.summary.rows === 0)
    throw new DataDesignerError('dataset/empty', { path: folder });
  await refuseChanged(folder, tables);
  const placed = [
    ...tables.flatMap(({ name, files }) => files.map((file) => ({ path: `${name}/${basename(file)}`, file }))),
    ...(await filesBelow(paths.images)).map((file) => {
      return { path: `${IMAGES}/${relative(paths.images, file).replaceAll(sep, '/')}`, file };
    }),
    ...(options.reviews && existsSync(paths.reviews) ? [{ path: basename(paths.reviews), file: paths.reviews }] : []),
  ];
  const stored = await Promise.all(placed.map((one) => storedFile(folder, one)));
  const counted = await count();
  const config = await readJsonFile(paths.builderConfig);
  const unverified = unverifiedRows(plan, attemptFigures(plan, result.summary));
  const facts = { counted, columns: plan.fields.length, plan, unverified };
  const written = [
    ...(config === undefined ? [] : [newFile('builder_config.json', toJson(sharedConfig(config, process.env)))]),
    newFile('metadata.json', toJson(pushedMetadata(metadata, tables, counted))),
    newFile('README.md', datasetCard({ target, ...options, ...facts, tables })),
  ];
  return [...stored, ...written];
}

/** Throws `dataset/damaged` for a file of rows or an image that differs from its checksum: a push reads no row. */
async function refuseChanged(folder: string, tables: readonly PushedTable[]): Promise<void> {
  const paths = datasetPaths(folder);
  const checksums = await new ChecksumLog(paths).read();
  for (const file of tables.flatMap(({ files }) => files)) await rejectChanged(file, checksums);
  const groups = groupsIn(await batchFiles(paths));
  const [damaged] = [...(await checkImages(folder, checksums, { groups })).values()].flat();
  if (damaged !== undefined) throw lostFile(join(folder, damaged), 'it is missing or damaged');
}

async function readMetadata(path: string): Promise<Readonly<Record<string, unknown>>> {
  const metadata = await readJsonFile(path);
  if (typeof metadata === 'object' && metadata !== null) return fieldsOf(metadata);
  const reason = metadata === undefined ? 'it is not there' : 'it contains no JSON object';
  throw new DataDesignerError('dataset/damaged', { path, reason });
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return files.toSorted((a, b) => (a < b ? -1 : 1));
}

async function storedFile(
  folder: string,
  { path, file }: { readonly path: string; readonly file: string },
): Promise<PlannedFile> {
  const source = relative(folder, file).replaceAll(sep, '/');
  return { path, bytes: (await stat(file)).size, source, content: pathToFileURL(file) };
}

function newFile(path: string, text: string): PlannedFile {
  const content = new Blob([text]);
  return { path, bytes: content.size, source: null, content };
}

function toJson(value: unknown): string {
  return `${stringifyJson(sortKeys(value), 2)}\n`;
}

/** `metadata.json` with the paths on the Hub and the statistics of the card. */
function pushedMetadata(
  metadata: Readonly<Record<string, unknown>>,
  tables: readonly PushedTable[],
  counted: CountedProfile,
): object {
  const [records, ...processed] = tables.map(({ name, processor, files }) => {
    return { processor: processor ?? '', paths: files.map((file) => `${name}/${basename(file)}`) };
  });
  return {
    ...metadata,
    column_statistics: counted.columns.map(columnStatistics),
    file_paths: {
      [DATA]: records?.paths ?? [],
      'processor-files': Object.fromEntries(processed.map(({ processor, paths }) => [processor, paths])),
    },
  };
}
