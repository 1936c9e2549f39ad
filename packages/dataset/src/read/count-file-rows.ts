import type { Checksums } from '../repair/checksums.ts';
import { orDamaged } from '../repair/damaged-file.ts';
import { countArrowRows } from '../formats/arrow/read-arrow.ts';
import { countRows } from './read-rows.ts';

/** How many rows a Parquet or Arrow file of a dataset has, by its checksum if it has one; `dataset/damaged` if it cannot be read. */
export async function countFileRows(path: string, checksums?: Checksums): Promise<number> {
  const known = await orDamaged(path, async () => checksums?.of(path));
  return known?.rows ?? (path.endsWith('.arrow') ? countArrowRows(path) : countRows(path));
}
