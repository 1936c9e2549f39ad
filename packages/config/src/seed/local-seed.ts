import { readdirSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { nearest } from '@data-designer/core';

/** The kinds of tables that are read. */
export const TABLE_FORMATS = ['parquet', 'csv', 'json', 'jsonl'] as const;

export type TableFormat = (typeof TABLE_FORMATS)[number];

/** The files of a table on this machine, by absolute path, in order; or why there are none. */
export type LocalSeed =
  | { readonly files: readonly string[]; readonly format: TableFormat }
  | { readonly type: 'seed_path_missing' | 'seed_format_unknown'; readonly message: string; readonly remedy: string };

const ALL_OF_A_KIND = /^(.*)\*\.(parquet|csv|json|jsonl)$/s;
const RELATIVE = 'Correct the path: it starts from the working folder, and ~ is not replaced.';
const TAKEN = 'Tables are .parquet, .csv, .json or .jsonl files.';

/** What the path of a local seed stands for: one file, or with `<folder>/*.csv` all files of a kind in a folder. */
export function localSeed(path: string, folder: string): LocalSeed {
  const [, prefix, kind] = ALL_OF_A_KIND.exec(path) ?? [];
  if (prefix === undefined || kind === undefined) return oneFile(path, folder);
  if (!/^$|[/\\]$/.test(prefix)) return badWildcard(path);
  const format = kind as TableFormat;
  const inside = resolve(folder, prefix);
  const names = namesIn(inside).filter((name) => name.endsWith(`.${format}`));
  if (names.length > 0) return { files: names.toSorted().map((name) => join(inside, name)), format };
  if (prefix.includes('*')) return badWildcard(path);
  const message = statOf(inside)?.isDirectory()
    ? `the folder ${inside} holds no file ending in .${format}.`
    : `there is no folder ${inside}.`;
  return { type: 'seed_path_missing', message, remedy: RELATIVE };
}

/** The format of a file by the end of its name, in large or small letters; undefined for others. */
export function tableFormat(path: string): TableFormat | undefined {
  return TABLE_FORMATS.find((format) => path.toLowerCase().endsWith(`.${format}`));
}

/** What stands at a path, links followed; undefined if nothing does or it cannot be reached. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function oneFile(path: string, folder: string): LocalSeed {
  const file = resolve(folder, path);
  const stats = statOf(file);
  if (!stats?.isFile()) return path.includes('*') ? badWildcard(path) : noFile(file, stats);
  const format = tableFormat(path);
  if (format) return { files: [file], format };
  return { type: 'seed_format_unknown', message: `${file} is no table that can be read.`, remedy: TAKEN };
}

function noFile(file: string, stats: Stats | undefined): LocalSeed {
  const type = 'seed_path_missing';
  if (stats?.isDirectory())
    return { type, message: `${file} is a folder.`, remedy: 'For all its files of a kind, write <folder>/*.csv.' };
  if (stats) return { type, message: `${file} is no ordinary file.`, remedy: TAKEN };
  const near = nearest(basename(file), namesIn(dirname(file)));
  return {
    type,
    message: `there is no file ${file}.`,
    remedy: near === undefined ? RELATIVE : `Did you mean '${near}'?`,
  };
}

function badWildcard(path: string): LocalSeed {
  const message = `'${path}' matches no table.`;
  const remedy = "A '*' can only stand for all files of a kind in one folder: <folder>/*.csv.";
  return { type: 'seed_path_missing', message, remedy };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
