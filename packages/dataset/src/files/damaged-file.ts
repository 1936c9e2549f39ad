import { basename, dirname } from 'node:path';
import { DataDesignerError, messageOf } from '@data-designer/core';
import { datasetPaths } from '../dataset-paths.ts';
import { isFromFileSystem } from './storage-failure.ts';

const REMEDY =
  'Resume the dataset (--resume always), which regenerates its rows, or move the file elsewhere to read the others.';

/** The remedy for a record of the run, which cannot be made again. */
export const RECORD_REMEDY = 'Restore the file from a copy, or create a new dataset under another name.';

const CHECKSUM_DIFFERS = 'its content differs from its checksum in checksums.jsonl';

/** The `dataset/damaged` error for a file that cannot be read, with a remedy if it holds rows of a dataset. */
export function damagedFile(path: string, thrown: unknown): DataDesignerError {
  if (thrown instanceof DataDesignerError) return thrown;
  if (thrown instanceof SyntaxError && !holdsRows(path)) return noJson(path, thrown);
  const [line = ''] = messageOf(thrown).split('\n');
  const reason = line.replace(/\.+$/, '');
  const remedy = holdsRows(path) && !isFromFileSystem(thrown) ? { remedy: REMEDY } : {};
  return new DataDesignerError('dataset/damaged', { path, reason, ...remedy }, { cause: thrown });
}

/** The `dataset/damaged` error for a file that differs from its checksum. */
export function changedFile(path: string, { isRecord = false } = {}): DataDesignerError {
  if (!isRecord) return damagedFile(path, new Error(CHECKSUM_DIFFERS));
  return new DataDesignerError('dataset/damaged', { path, reason: CHECKSUM_DIFFERS, remedy: RECORD_REMEDY });
}

/** The error for a record of the run that is not JSON. The parser's message may have several lines. */
function noJson(path: string, thrown: SyntaxError): DataDesignerError {
  const reason = thrown.message.replaceAll(/\s+/g, ' ').replace(/\.+$/, '');
  return new DataDesignerError('dataset/damaged', { path, reason, remedy: RECORD_REMEDY }, { cause: thrown });
}

/** Runs `read`; turns its errors into `dataset/damaged` with the name of the file. */
export async function orDamaged<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (thrown) {
    throw damagedFile(path, thrown);
  }
}

/** Whether a file belongs to the main table or a side table: a resume makes its rows again. */
function holdsRows(path: string): boolean {
  const folder = dirname(path);
  const { parquetFiles, droppedColumns } = datasetPaths(dirname(folder));
  const isSideFile = datasetPaths(dirname(dirname(folder))).processorsFiles === dirname(folder);
  return (
    /^batch_[\d-]+\.[a-z\d]+$/.test(basename(path)) &&
    (folder === parquetFiles || folder === droppedColumns || isSideFile)
  );
}
