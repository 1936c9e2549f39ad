import { relative } from 'node:path';
import { fetchHubFiles, type FetchHubOptions } from './fetch-hub-files.ts';
import type { HubSource } from '../inspect-seed.ts';
import { inspectTable } from '../files/inspect-table.ts';
import type { SeedInspection } from '../seed-inspection.ts';

/** Fetches the files of a source of the Hub, those that are not in the cache yet, and looks at them. Throws `hub/*`. */
export async function inspectHubSeed(
  source: HubSource,
  { isCounted, ...options }: FetchHubOptions & { readonly isCounted: boolean },
): Promise<SeedInspection> {
  const { files, format, commit } = await fetchHubFiles(source, options);
  // The cache may stand elsewhere when the dataset is continued.
  const names = new Map(files.map((file) => [file, relative(options.cacheFolder, file)]));
  const seen = await inspectTable(files, { format, isCounted, names });
  return seen.source ? { ...seen, source: { ...seen.source, revision: commit } } : seen;
}
