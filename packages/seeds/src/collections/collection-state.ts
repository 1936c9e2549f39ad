import { stat } from 'node:fs/promises';
import { givenSum } from './collection-sum.ts';
import { collectionPath } from './inspect-collection.ts';
import type { WantedCollection } from './install-collection.ts';

/** The file of a collection on this machine. */
export interface CollectionState {
  readonly path: string;
  /** Its size; null if it is not installed. */
  readonly bytes: number | null;
  /** The SHA-256 that was recorded when it was installed; null if none was. */
  readonly sha256: string | null;
  /** Why it cannot be used; null if its footer is complete and names the needed columns. */
  readonly damage: string | null;
}

/** Whether a collection is installed, and whether its footer is complete; does not read its rows. */
export async function collectionState({ collection, folder, needs }: WantedCollection): Promise<CollectionState> {
  const path = collectionPath(folder, collection);
  const stats = await stat(path).catch(() => undefined);
  if (!stats) return { path, bytes: null, sha256: null, damage: null };
  const sha256 = (await givenSum(path).catch(() => undefined)) ?? null;
  const damage = stats.isFile() ? await damageOf(path, needs) : 'it is not a file';
  return { path, bytes: stats.size, sha256, damage };
}

async function damageOf(path: string, needs: readonly string[]): Promise<string | null> {
  const { asyncBufferFromFile, parquetMetadataAsync } = await import('hyparquet');
  try {
    const { schema, num_rows: rows } = await parquetMetadataAsync(await asyncBufferFromFile(path), {
      geoparquet: false,
    });
    const names = new Set(schema.map(({ name }) => name));
    const lacking = needs.find((name) => !names.has(name));
    if (lacking !== undefined) return `it has no column '${lacking}'`;
    return rows === 0n ? 'it has no rows' : null;
  } catch {
    return 'it is not a complete Parquet file';
  }
}
