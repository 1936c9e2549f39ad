import { extname } from 'node:path';

export const COMPRESSIONS = ['gzip', 'zstd'] as const;

/** How the files of an export are compressed. */
export type Compression = (typeof COMPRESSIONS)[number];

const COMPRESSED: Readonly<Record<string, Compression>> = { '.gz': 'gzip', '.zst': 'zstd' };

/** The compression that the extension of a file asks for; undefined for none. */
export function compressionOf(path: string): Compression | undefined {
  return COMPRESSED[extname(path)];
}
