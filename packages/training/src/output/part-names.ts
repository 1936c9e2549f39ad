import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join, sep } from 'node:path';
import { DataDesignerError } from '@data-designer/core';
import { type Compression, compressionOf } from './compression.ts';

/** Where an export is written. */
export interface OutputNames {
  readonly folder: string;
  /** What the names of files begin with; empty in a folder of its own. */
  readonly stem: string;
  /** The extension, with that of the compression. */
  readonly extension: string;
}

const EXTENSION: Readonly<Record<Compression, string>> = { gzip: '.gz', zstd: '.zst' };

/** The name of the only part of an export that is not split, as loaders expect it. */
const WHOLE = 'train';
const DIGITS = 5;

/**
 * The names of the files of an export to `output`: a folder, or a file whose name is extended where there are several. Of
 * several files, a name without an extension is that of their folder.
 */
export function outputNames(
  output: string,
  { compression, areSeveral = false }: { readonly compression: Compression | undefined; readonly areSeveral?: boolean },
): OutputNames {
  const compressed = compression === undefined ? '' : EXTENSION[compression];
  if (isFolder(output) || (areSeveral && extname(output) === ''))
    return { folder: output, stem: '', extension: `.jsonl${compressed}` };
  const name = basename(output);
  const plain = compressionOf(name) === undefined ? name : name.slice(0, -extname(name).length);
  const extension = extname(plain);
  return {
    folder: dirname(output),
    stem: plain.slice(0, plain.length - extension.length),
    extension: `${extension}${compressed}`,
  };
}

/** Whether an output is a folder: one that exists, or whose name ends with a slash. */
function isFolder(output: string): boolean {
  if (output.endsWith('/') || output.endsWith(sep)) return true;
  return existsSync(output) && statSync(output).isDirectory();
}

/** The path of a file of an export. */
export function partPath(
  { folder, stem, extension }: OutputNames,
  {
    part,
    shard,
    shards,
  }: { readonly part: string | undefined; readonly shard: number; readonly shards: number | undefined },
): string {
  const named = stem === '' ? [part ?? WHOLE] : [stem, ...(part === undefined ? [] : [part])];
  const numbers = shards === undefined ? [] : [digits(shard), 'of', digits(shards)];
  return join(folder, `${[...named, ...numbers].join('-')}${extension}`);
}

function digits(value: number): string {
  return String(value).padStart(DIGITS, '0');
}

/** The files in the folder of an export, by whether they are those of one of its parts, in one file or in shards. */
async function filesInFolder(names: OutputNames, parts: readonly (string | undefined)[]) {
  const bases = parts.map((part) => {
    const path = basename(partPath(names, { part, shard: 0, shards: undefined }));
    return path.slice(0, path.length - names.extension.length);
  });
  const found = await readdir(names.folder).catch((): string[] => []);
  return found.map((name) => {
    const stem = name.endsWith(names.extension) ? name.slice(0, name.length - names.extension.length) : undefined;
    const isOwn = bases.some(
      (base) => stem?.startsWith(base) && /^(?:-\d{5,}-of-\d{5,})?$/.test(stem.slice(base.length)),
    );
    return { name, isOwn };
  });
}

/** The files of an earlier export under the same name that this one does not replace. */
export async function leftFiles(
  names: OutputNames,
  parts: readonly (string | undefined)[],
  written: ReadonlySet<string>,
): Promise<readonly string[]> {
  const found = await filesInFolder(names, parts);
  return found
    .filter(({ isOwn }) => isOwn)
    .map(({ name }) => join(names.folder, name))
    .filter((path) => !written.has(path));
}

/** Throws `dataset/unwritable` where a folder of its own has other files of lines, which loaders would read too. */
export async function refuseOthers(names: OutputNames, parts: readonly (string | undefined)[]): Promise<void> {
  if (names.stem !== '') return;
  const found = await filesInFolder(names, parts);
  const others = found.filter(({ name, isOwn }) => !isOwn && /\.jsonl(?:\.gz|\.zst)?$/.test(name));
  const [first] = others;
  if (!first) return;
  const more = others.length > 1 ? ` and ${others.length - 1} more` : '';
  const reason = `it has ${first.name}${more}, which loaders of the folder would read too`;
  const remedy = 'Remove what is there, or choose another folder.';
  throw new DataDesignerError('dataset/unwritable', { path: names.folder, reason, remedy });
}
