import { dirname } from 'node:path';
import type { RegisteredSeed, SeedConfig, SeedSource } from '@data-designer/config';
import { type ChatColumn, type Finding, SEED_TABLE } from '@data-designer/core';
import { datasetPaths, seedChats } from '@data-designer/dataset';
import { pluginReader } from './rows/plugin-reader.ts';
import { type InspectOptions, seedError, type SeedInspection, type SeedReader } from './seed-reader.ts';
import { seedReaders } from './seed-readers.ts';
import type { TableSource } from './tables/table-source.ts';

/** What `inspectSeed` may use. */
export interface InspectSeedOptions extends Pick<InspectOptions, 'folder' | 'spools' | 'run'> {
  /** The source's type, if a plug-in adds it. */
  readonly plugin?: RegisteredSeed | undefined;
  readonly signal?: AbortSignal;
  /** Whether to count the rows; they are counted for a selection anyway. */
  readonly isCounted?: boolean;
}

/** Inspects the rows of a checked seed and its selection; faults are findings, failed downloads and an abort throw. */
export async function inspectSeed(
  { source, selectionStrategy }: SeedConfig,
  { plugin, signal = new AbortController().signal, isCounted = false, ...options }: InspectSeedOptions,
): Promise<SeedInspection> {
  const reader = plugin ? pluginReader(plugin) : (seedReaders[source.seedType] as SeedReader<SeedSource>);
  const seen = await reader.inspect(source, { ...options, signal, isCounted: isCounted || selectionStrategy !== null });
  const chats = options.run ? await chatsOf(seen) : [];
  return {
    ...seen,
    ...(seen.source && chats.length > 0 && { source: { ...seen.source, chats } }),
    findings: [...seen.findings, ...checkSelection(selectionStrategy, seen.rows)],
  };
}

/** The conversations of the dataset that all rows come from; none where its record cannot be read, which the rows do not need. */
async function chatsOf({ source }: SeedInspection): Promise<readonly ChatColumn[]> {
  const folders = new Set(
    source?.files
      .map(({ path }) => path)
      .filter(isBatch)
      .map(datasetOf),
  );
  const [folder, ...others] = folders;
  return folder !== undefined && others.length === 0 ? seedChats(folder).catch(() => []) : [];
}

function isBatch(path: string): boolean {
  return dirname(path) === datasetPaths(datasetOf(path)).parquetFiles;
}

/** The folder of the dataset that a file of rows would be in. */
function datasetOf(path: string): string {
  return dirname(dirname(path));
}

/** The table of the seed rows for a run to materialise; undefined if the rows cannot be read. */
export function seedSource(
  { samplingStrategy, selectionStrategy }: SeedConfig,
  { columns, source }: SeedInspection,
): TableSource | undefined {
  if (!columns || !source) return undefined;
  return {
    id: SEED_TABLE,
    fields: columns,
    rows: source,
    order: samplingStrategy,
    selection: selectionStrategy,
    filters: [],
  };
}

/** A range must end within the rows, and there can be no more parts than rows. */
function checkSelection(selection: SeedConfig['selectionStrategy'], rows: number | undefined): Finding[] {
  if (selection === null || rows === undefined || rows === 0) return [];
  const [key, found] =
    'end' in selection ? (['end', selection.end + 1] as const) : (['numPartitions', selection.numPartitions] as const);
  if (found <= rows) return [];
  const [message, remedy] =
    key === 'end'
      ? [`row ${found - 1} is outside the seed, whose last row is ${rows - 1}.`, `Set 'end' to at most ${rows - 1}.`]
      : [`${rows} rows cannot be split into ${found} partitions.`, `Set 'num_partitions' to at most ${rows}.`];
  return [{ ...seedError('selection_outside', message, remedy), field: ['selectionStrategy', key] }];
}
