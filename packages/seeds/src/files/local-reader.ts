import { findTable, type SeedSource } from '@data-designer/config';
import { seedError, type SeedReader, unreadRows } from '../seed-reader.ts';
import { inspectTable } from './inspect-table.ts';

/** Reads the tables of `local`: a csv, json, jsonl or parquet file, or all files of one format in a folder. */
export const localReader: SeedReader<Extract<SeedSource, { readonly seedType: 'local' }>> = {
  inspect: async ({ path, ...declared }, { folder, isCounted, spools }) => {
    const seed = findTable(path, folder);
    if ('files' in seed)
      return inspectTable(seed.files, {
        format: seed.format,
        isCounted,
        declared,
        copyFolder: spools && (() => spools.folder()),
      });
    return unreadRows([seedError('seed_unreadable', seed.message, seed.remedy)]);
  },
};
