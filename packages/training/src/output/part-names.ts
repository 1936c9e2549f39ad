import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join, sep } from 'node:path';
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

/** The names of the files of an export to `output`: a folder, or a file whose name is extended where there are several. */
export function outputNames(output: string, compression: Compression | undefined): OutputNames {
  const compressed = compression === undefined ? '' : EXTENSION[compression];
  if (isFolder(output)) return { folder: output, stem: '', extension: `.jsonl${compressed}` };
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

/** The shards that an earlier export under the same name has left and this one does not replace. */
export async function leftShards(
  names: OutputNames,
  parts: readonly (string | undefined)[],
  written: ReadonlySet<string>,
) {
  const patterns = parts.map((part) => {
    const path = partPath(names, { part, shard: 0, shards: 0 });
    const [before = '', after = ''] = basename(path).split('00000-of-00000');
    return { before, after };
  });
  const found = await readdir(names.folder).catch(() => []);
  return found
    .filter((name) =>
      patterns.some(
        ({ before, after }) =>
          name.startsWith(before) &&
          name.endsWith(after) &&
          /^\d{5,}-of-\d{5,}$/.test(name.slice(before.length, name.length - after.length)),
      ),
    )
    .map((name) => join(names.folder, name))
    .filter((path) => !written.has(path));
}
