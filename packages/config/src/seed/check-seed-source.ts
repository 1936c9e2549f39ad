import type { Finding } from '@data-designer/core';
import type { SeedSource } from '../schemas/seed-config.ts';
import { checkHubSeed } from './check-hub-seed.ts';
import { listSeedFiles, sayLeftOut, type SeedFiles } from './list-seed-files.ts';
import { localSeed, statOf } from './local-seed.ts';
import { type FolderSource, type SeedFolder, seedFolder } from './seed-folder.ts';
import { isUndecodable } from './text-codec.ts';

/** What a seed source may touch, and from where its paths count. */
export interface SeedCheckOptions {
  /** The folder that relative paths start from. */
  readonly folder: string;
  /** Whether the config may read files of this machine: not one that came from an address. */
  readonly localFiles: boolean;
  /** Names of environment variables that the user lets the config name as its token. */
  readonly secrets: readonly string[];
  /** Where a token could be looked up; that of this process unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * What is wrong with a seed source beyond its schema, without reading a row: whether its files are there and may be
 * read, and whether its address and token are in order. `field` is a path within `seed_config`.
 */
export function checkSeedSource(source: SeedSource, options: SeedCheckOptions): readonly Finding[] {
  const { secrets, environment = process.env } = options;
  if (source.seedType === 'df') return [];
  if (source.seedType === 'hf') return checkHubSeed(source, { secrets, environment });
  if (!options.localFiles) return [refusedFile(source)];
  if (source.seedType === 'local') return checkLocal(source.path, options.folder);
  return [...checkEncoding(source), ...checkFolder(source, options.folder)];
}

function refusedFile({ path }: { readonly path: string | null }): Finding {
  return {
    stage: 'run',
    type: 'local_file_refused',
    level: 'ERROR',
    field: path === null ? ['source'] : ['source', 'path'],
    message: 'a config that comes from an address may not read files of this machine.',
    remedy: 'Save it to a file first, or allow it with --allow-local if you trust it.',
  };
}

function checkLocal(path: string, folder: string): Finding[] {
  const seed = localSeed(path, folder);
  return 'files' in seed ? [] : [{ stage: 'load', level: 'ERROR', field: ['source', 'path'], ...seed }];
}

function checkEncoding(source: FolderSource): Finding[] {
  if (source.seedType !== 'file_contents' || !isUndecodable(source.encoding)) return [];
  const message = `text in '${source.encoding}' cannot be decoded by this version.`;
  const remedy = 'Convert the files to utf-8.';
  return [runError('encoding', { type: 'encoding_unsupported', message, remedy })];
}

function runError(field: string, told: Pick<Finding, 'type' | 'message' | 'remedy'>): Finding {
  return { stage: 'run', level: 'ERROR', field: ['source', field], ...told };
}

function checkFolder(source: FolderSource, folder: string): Finding[] {
  const wanted = seedFolder(source, folder);
  const files = statOf(wanted.root)?.isDirectory() ? filesIn(wanted) : undefined;
  if (!files) {
    const message = `there is no folder ${wanted.root} that can be read.`;
    const remedy = 'Correct the path: it starts from the working folder.';
    return [{ ...runError('path', { type: 'seed_path_missing', message, remedy }), stage: 'validate' }];
  }
  if (files.files.length > 0) return [];
  const { pattern, recursive, root } = wanted;
  const message = `no file ${recursive ? 'below' : 'in'} ${root} makes a row (looked for '${pattern}').`;
  const remedy = sayLeftOut(files.leftOut) ?? 'Correct the path or the pattern; large and small letters differ.';
  return [runError('path', { type: 'seed_empty', message, remedy })];
}

function filesIn(wanted: SeedFolder): SeedFiles | undefined {
  try {
    return listSeedFiles(wanted);
  } catch {
    return undefined;
  }
}
