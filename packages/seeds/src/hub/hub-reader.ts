import { relative } from 'node:path';
import type { SeedSource } from '@data-designer/config';
import { inspectTable } from '../files/inspect-table.ts';
import { type SeedReader, unreadRows } from '../seed-reader.ts';
import { fetchHubFiles } from './fetch-hub-files.ts';

/** Reads `hf`: tables on the Hugging Face Hub. Downloads the files that the cache lacks, for a run only. Throws `hub/*`. */
export const hubReader: SeedReader<Extract<SeedSource, { readonly seedType: 'hf' }>> = {
  inspect: async (source, { isCounted, signal, run, spools }) => {
    if (!run) return unreadRows();
    const { cacheFolder, allowPrivate, prior } = run;
    // A record that also has a hash is of a plug-in's rows: the dataset began with another kind of seed.
    const pinned = prior?.sha256 === undefined ? prior?.revision : undefined;
    const options = { cacheFolder, allowPrivate, signal, ...(pinned === undefined ? {} : { commit: pinned }) };
    const { files, format, commit } = await fetchHubFiles(source, options);
    // The cache folder may differ when the dataset is continued.
    const names = new Map(files.map((file) => [file, relative(cacheFolder, file)]));
    const copyFolder = spools && (() => spools.folder());
    const seen = await inspectTable(files, { format, isCounted, names, declared: source, copyFolder });
    return seen.source ? { ...seen, source: { ...seen.source, revision: commit } } : seen;
  },
};
