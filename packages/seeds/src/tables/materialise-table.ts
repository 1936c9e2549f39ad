import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DataDesignerError, messageOf } from '@data-designer/core';
import { commit, type TableRecord } from '@data-designer/dataset';
import { files, orStorageFailure } from '@data-designer/dataset/journal';
import { duckDbReason, duckDbRemedy } from '../duck-db/duck-db-reason.ts';
import { isOutOfMemory } from '../duck-db/with-duck-db.ts';
import { type Copied, type Copy, copyOrdered } from './copy-ordered.ts';
import { copyPlain } from './copy-plain.ts';
import { refuseChanged } from './file-state.ts';
import { gatherShuffled } from './gather-shuffled.ts';
import type { PrepareContext, TableRun, TableSource } from './table-source.ts';

/** Writes the rows that a run needs as one Parquet file, atomically; throws `seed/unreadable` and `dataset/*`. */
export async function materialiseTable(
  source: TableSource,
  destination: string,
  { run, context }: { readonly run: TableRun; readonly context: PrepareContext },
): Promise<Pick<TableRecord, 'rows' | 'taken'>> {
  const { rows: from } = source;
  const ordered = join(context.scratch, 'ordered.parquet');
  const finished = join(context.scratch, 'finished.parquet');
  for (const file of from.files) await refuseChanged(file);
  const written = await writeOrdered({ source, run, destination: ordered }, context).catch((thrown: unknown) => {
    context.signal.throwIfAborted();
    throw failureOf(thrown, from.name, destination);
  });
  const rows = written.rows > 0 && from.complete ? await from.complete(ordered, finished, context) : written.rows;
  for (const file of from.files) await refuseChanged(file);
  context.signal.throwIfAborted();
  if (rows === 0) throw new DataDesignerError('seed/unreadable', { source: from.name, reason: 'the seed has no rows' });
  await settle(from.complete ? finished : ordered, destination);
  const isTaken = source.filters.length === 0 && rows === written.rows;
  return { rows, ...(isTaken && { taken: { order: source.order, ...written.taken } }) };
}

/** Writes the rows in order: a few plain ones itself, others by DuckDB, which sorts no rows that exceed its memory. */
async function writeOrdered(copy: Omit<Copy, 'table'>, context: PrepareContext): Promise<Copied> {
  const { order, filters, rows } = copy.source;
  const plain = order === 'ordered' && filters.length === 0 ? await rows.plain?.() : undefined;
  if (plain) return copyPlain(plain, copy);
  const wanted = { ...copy, table: await rows.open(context) };
  try {
    return await copyOrdered(wanted, context);
  } catch (thrown) {
    if (order === 'ordered' || !isOutOfMemory(thrown)) throw thrown;
    return gatherShuffled(wanted, context);
  }
}

/** Commits a finished file: private to its owner, and synced before it is renamed. */
async function settle(temporary: string, path: string): Promise<void> {
  await orStorageFailure(path, async () => {
    await chmod(temporary, 0o600);
    const file = await files().open(temporary, 'r+');
    try {
      await files().sync(file);
    } finally {
      await files().close(file);
    }
  });
  await commit({ temporary, path });
}

/** Distinguishes a failure to read the source from a failure to write the table. */
function failureOf(thrown: unknown, source: string, path: string): unknown {
  if (thrown instanceof DataDesignerError) return thrown;
  const text = messageOf(thrown);
  if (/No space left|disk is full|max_temp_directory_size/i.test(text))
    return new DataDesignerError('dataset/disk-full', { path });
  const remedy = duckDbRemedy(thrown);
  const data = { source, reason: duckDbReason(thrown), ...(remedy !== undefined && { remedy }) };
  return new DataDesignerError('seed/unreadable', data, { cause: thrown });
}

/** The size of a table's file. */
export async function bytesOf(path: string): Promise<number> {
  return (await stat(path)).size;
}
