import { stat } from 'node:fs/promises';
import { DataDesignerError } from '@data-designer/core';
import type { FileState, SourceState, TableRecord } from '@data-designer/dataset';
import { changeOf, stateOf } from './file-state.ts';
import type { RowSource, TableSource } from './table-source.ts';

/** The present state of a source; throws `seed/unreadable`. */
export async function sourceState(rows: RowSource, signal: AbortSignal): Promise<SourceState> {
  const contents = rows.contents?.();
  const files: FileState[] = [];
  for (const file of rows.files) {
    files.push(await stateOf(file, { isHashed: contents === undefined || contents.has(file.path), signal }));
  }
  return {
    files,
    ...(rows.revision === undefined ? {} : { revision: rows.revision }),
    ...(rows.hash ? { sha256: await rows.hash() } : {}),
  };
}

/** Throws `dataset/incompatible` if a table's source differs from its record. */
export async function refuseChangedSource(
  { rows }: TableSource,
  { source: was, rows: had }: TableRecord,
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<void> {
  const reason = await sourceChange(rows, was, signal);
  if (reason === undefined) return;
  const remedy = `Restore the seed rows. If rows were added to ${had}, make those alone in a dataset of another name: selection_strategy: { start: ${had}, end: … } in seed_config.`;
  throw new DataDesignerError('dataset/incompatible', { path, reason, remedy });
}

async function sourceChange(rows: RowSource, was: SourceState, signal: AbortSignal): Promise<string | undefined> {
  if (was.sha256 !== undefined || rows.hash) {
    const same = rows.hash && was.sha256 !== undefined && (await rows.hash()) === was.sha256;
    return same ? undefined : 'the seed rows in memory differ from those that it was started with';
  }
  const before = new Map(was.files.map((file) => [file.path, file]));
  const now = new Set(rows.files.map(({ name }) => name));
  const gone = was.files.filter(({ path }) => !now.has(path));
  const added = rows.files.filter(({ name }) => !before.has(name));
  // Moved files are the same source, unless the rows hold their paths.
  const moved = rows.contents === undefined && gone.length === added.length;
  if (!moved && gone[0]) return `the seed file ${gone[0].path} is gone${andMore(gone.length - 1)}`;
  if (!moved && added[0]) return `the seed file ${added[0].name} was not there${andMore(added.length - 1)}`;
  for (const file of rows.files) {
    const state = before.get(file.name) ?? gone[added.indexOf(file)];
    const change = state && (await changeOf(file, state, signal));
    if (change !== undefined) return `the seed file ${file.name} has changed: ${change}`;
  }
  return undefined;
}

function andMore(count: number): string {
  return count === 0 ? '' : `, and ${count} more`;
}

/** Whether a table's file has its recorded size. */
export async function isThere(path: string, { bytes }: TableRecord): Promise<boolean> {
  try {
    return (await stat(path)).size === bytes;
  } catch {
    return false;
  }
}
