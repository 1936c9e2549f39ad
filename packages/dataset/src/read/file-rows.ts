import { batchFormatOf, storageOf } from '../formats/formats.ts';
import type { TableReader } from '../formats/dataset-format.ts';
import type { Checksums } from '../logs/checksums.ts';
import { orDamaged } from '../files/damaged-file.ts';

/** The reader for a data file, by the ending of its name. */
export async function readerOf(path: string): Promise<TableReader> {
  const format = batchFormatOf(path);
  if (format === undefined) throw new TypeError(`${path} is not a data file of a dataset.`);
  return storageOf(format).loadReader();
}

/** The number of rows of a data file, by its checksum if it has one; throws `dataset/damaged` if it cannot be read. */
export async function countFileRows(path: string, checksums?: Checksums): Promise<number> {
  const known = await orDamaged(path, async () => checksums?.of(path));
  return known?.rows ?? (await readerOf(path)).countRows(path);
}
