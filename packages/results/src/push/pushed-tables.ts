import { readdir } from 'node:fs/promises';
import { extname } from 'node:path';
import { type BatchFile, batchFiles, DATA, datasetPaths, sideFiles, tableName } from '@data-designer/dataset';

/** A table of a push: a configuration of the dataset on the Hub. */
export interface PushedTable {
  /** Its folder and configuration on the Hub. */
  readonly name: string;
  /** The processor that made it; null for the records. */
  readonly processor: string | null;
  readonly files: readonly string[];
}

/** The folder of the images on the Hub. */
export const IMAGES = 'images';

/** The tables of a dataset: the records first, then the output of each processor that has files. No two share a folder. */
export async function pushedTables(folder: string): Promise<readonly PushedTable[]> {
  const paths = datasetPaths(folder);
  const tables: PushedTable[] = [{ name: DATA, processor: null, files: pathsOf(await batchFiles(paths)) }];
  const names = new Set([DATA, IMAGES]);
  const entries = await readdir(paths.processorsFiles, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.filter((one) => one.isDirectory()).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const files = pathsOf(await sideFiles(paths, { processor: entry.name }));
    if (files.length === 0) continue;
    tables.push({ name: tableName(entry.name, names), processor: entry.name, files });
  }
  return tables;
}

function pathsOf(files: readonly BatchFile[]): readonly string[] {
  return files.map(({ path }) => path);
}

/** The pattern of a table's files on the Hub. */
export function patternsOf({ name, files }: PushedTable): readonly string[] {
  const endings = new Set(files.map((file) => extname(file)));
  return [...endings].map((ending) => `${name}/*${ending}`);
}
