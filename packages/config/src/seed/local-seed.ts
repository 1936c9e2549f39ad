import { readdirSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { nearest } from '@data-designer/core';
import { z } from 'zod';
import { defineSeedKind } from './seed-kind.ts';
import { textDecoderOf } from './text-codec.ts';

/** The file formats of tables. */
export const TABLE_FORMATS = ['parquet', 'csv', 'json', 'jsonl'] as const;

/** The types that a declaration may give to a column. */
const COLUMN_TYPES = ['text', 'integer', 'float', 'boolean', 'date', 'time', 'timestamp'] as const;

export type TableFormat = (typeof TABLE_FORMATS)[number];

/** The format of each suffix. */
const SUFFIXES = { parquet: 'parquet', csv: 'csv', tsv: 'csv', json: 'json', jsonl: 'jsonl', ndjson: 'jsonl' } as const;

/** A suffix of a table file; text files may be packed. */
const SUFFIX = /\.(?:(parquet)|(csv|tsv|json|jsonl|ndjson)(?:\.(?:gz|zst))?)$/i;

/** How the files of a table are read, where they do not tell it themselves. */
export const tableOptions = {
  delimiter: z
    .string()
    .length(1)
    .exactOptional()
    .describe('The delimiter of CSV files; default: detected from the files.'),
  header: z
    .boolean()
    .exactOptional()
    .describe('Whether the first line of CSV files has the names of the columns; default: detected from the files.'),
  encoding: z
    .string()
    .refine((name) => textDecoderOf(name) !== undefined, {
      error: (issue) => `there is no text encoding '${String(issue.input)}'; use one such as utf-8, latin-1 or cp1252`,
    })
    .exactOptional()
    .describe(
      'The encoding of CSV and JSON files, by its name in Python or on the web, such as `latin-1`; default `utf-8`, or `utf-16` if the file has its byte order mark.',
    ),
  types: z
    .record(z.string(), z.enum(COLUMN_TYPES))
    .exactOptional()
    .describe('Types of columns by name. Other columns have the type that fits all their values.'),
  maxRowBytes: z
    .int()
    .min(1)
    .max(1024 * 1024 * 1024)
    .exactOptional()
    .describe('The size of the longest row of CSV and JSON files, in bytes; default 33554432.'),
};

/** The declared options of a table. */
export type DeclaredTable = z.output<z.ZodObject<typeof tableOptions>>;

/** A table in files of this machine. */
export const localSeed = defineSeedKind({
  schema: z.object({
    seedType: z.literal('local').describe('A table in files on this machine.'),
    path: z
      .string()
      .describe(
        'A `.csv`, `.tsv`, `.json`, `.jsonl`, `.ndjson` or `.parquet` file, or a pattern such as `folder/*.csv` for several files; text files may end in `.gz` or `.zst`.',
      ),
    ...tableOptions,
  }),
  readsFiles: true,
  check: ({ path }, { folder }) => {
    const table = findTable(path, folder);
    return 'files' in table ? [] : [{ stage: 'load', level: 'ERROR', field: ['source', 'path'], ...table }];
  },
});

/** The files of a table on this machine, by absolute path, in order; or why there are none. */
type LocalTable =
  | { readonly files: readonly string[]; readonly format: TableFormat }
  | { readonly type: 'seed_path_missing' | 'seed_format_unknown'; readonly message: string; readonly remedy: string };

const WILDCARD = /^(.*)\*(\.[a-z.]+)$/s;
const RELATIVE = 'Correct the path; a relative path starts from the working folder, and ~ is not expanded.';
const FORMATS = 'Use a .parquet, .csv, .tsv, .json, .jsonl or .ndjson file; text files may also end in .gz or .zst.';

/** An address of a file on the Hub, as other tools write it. */
export const HUB_SCHEME = /^hf:\/\//;

/** The files that the path of a local seed names: one, or with `<folder>/*.csv` all of one format in a folder. */
export function findTable(path: string, folder: string): LocalTable {
  if (HUB_SCHEME.test(path)) return onHub(path);
  const [, prefix, suffix] = WILDCARD.exec(path) ?? [];
  const format = suffix !== undefined && suffix === suffix.toLowerCase() ? tableFormat(suffix) : undefined;
  if (prefix === undefined || suffix === undefined || format === undefined) return oneFile(path, folder);
  if (!/^$|[/\\]$/.test(prefix)) return badWildcard(path);
  const inside = resolve(folder, prefix);
  const names = namesIn(inside).filter((name) => name.endsWith(suffix));
  if (names.length > 0) return { files: names.toSorted().map((name) => join(inside, name)), format };
  if (prefix.includes('*')) return badWildcard(path);
  const message = statOf(inside)?.isDirectory()
    ? `the folder ${inside} contains no file that ends in ${suffix}.`
    : `the folder ${inside} does not exist.`;
  return { type: 'seed_path_missing', message, remedy: RELATIVE };
}

/** The format of a table file by its suffix in any case; undefined for other files. */
export function tableFormat(path: string): TableFormat | undefined {
  const [, packed, suffix = packed] = SUFFIX.exec(path) ?? [];
  return Object.entries(SUFFIXES).find(([name]) => name === suffix?.toLowerCase())?.[1];
}

/** The file or folder at a path, links followed; undefined if there is none or it cannot be reached. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function onHub(path: string): LocalTable {
  const message = `'${path}' is on the Hugging Face Hub, not on this machine.`;
  const remedy = `Write seed_type: hf and path: ${path.replace(HUB_SCHEME, '')}.`;
  return { type: 'seed_path_missing', message, remedy };
}

function oneFile(path: string, folder: string): LocalTable {
  const file = resolve(folder, path);
  const stats = statOf(file);
  if (!stats?.isFile()) return path.includes('*') ? badWildcard(path) : noFile(file, stats);
  const format = tableFormat(path);
  if (format) return { files: [file], format };
  return { type: 'seed_format_unknown', message: `${file} is not a supported table file.`, remedy: FORMATS };
}

function noFile(file: string, stats: Stats | undefined): LocalTable {
  const type = 'seed_path_missing';
  if (stats?.isDirectory())
    return {
      type,
      message: `${file} is a folder.`,
      remedy: 'To read all its files of one format, write <folder>/*.csv.',
    };
  if (stats) return { type, message: `${file} is not a regular file.`, remedy: FORMATS };
  const near = nearest(basename(file), namesIn(dirname(file)));
  return {
    type,
    message: `the file ${file} does not exist.`,
    remedy: near === undefined ? RELATIVE : `Did you mean '${near}'?`,
  };
}

function badWildcard(path: string): LocalTable {
  const message = `the pattern '${path}' is not supported.`;
  const remedy = "Use '*' only for all files of one format in a folder, as in <folder>/*.csv.";
  return { type: 'seed_path_missing', message, remedy };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
