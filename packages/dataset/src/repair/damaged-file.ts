import { basename, dirname } from 'node:path';
import { DataDesignerError } from '@data-designer/core';
import { datasetPaths } from '../dataset-paths.ts';
import { isFromFileSystem } from '../files/storage-failure.ts';

const REMEDY =
  'Resume the dataset (--resume always), which makes its rows again, or move the file elsewhere to read the others.';

/** What to do about a file that nothing can make again. */
export const REMEDY_OF_RECORDS = 'Put back a copy of the file, or begin the dataset anew under another name.';

const NOT_AS_WRITTEN = 'it does not agree with its checksum: its bytes have changed since they were written';

/** `dataset/damaged` about a file, with why it cannot be read; where it holds rows of a dataset, also what to do. */
export function damagedFile(path: string, thrown: unknown): DataDesignerError {
  if (thrown instanceof DataDesignerError) return thrown;
  if (thrown instanceof SyntaxError && !holdsRows(path)) return noJson(path, thrown);
  const [line = ''] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n');
  const reason = line.replace(/\.+$/, '');
  const remedy = holdsRows(path) && !isFromFileSystem(thrown) ? { remedy: REMEDY } : {};
  return new DataDesignerError('dataset/damaged', { path, reason, ...remedy }, { cause: thrown });
}

/** `dataset/damaged` about a file that does not agree with its checksum. */
export function changedFile(path: string): DataDesignerError {
  return damagedFile(path, new Error(NOT_AS_WRITTEN));
}

/** A record of the run, which nothing can make again; what the parser shows of it may have several lines. */
function noJson(path: string, thrown: SyntaxError): DataDesignerError {
  const reason = thrown.message.replaceAll(/\s+/g, ' ').replace(/\.+$/, '');
  return new DataDesignerError('dataset/damaged', { path, reason, remedy: REMEDY_OF_RECORDS }, { cause: thrown });
}

/** What is read from a file, or `dataset/damaged` with its name. */
export async function orDamaged<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (thrown) {
    throw damagedFile(path, thrown);
  }
}

/** Whether a file is one that a resume makes again: of the rows, or of a table beside them. */
function holdsRows(path: string): boolean {
  const folder = dirname(path);
  const { parquetFiles, droppedColumns } = datasetPaths(dirname(folder));
  const isBeside = datasetPaths(dirname(dirname(folder))).processorsFiles === dirname(folder);
  return (
    /^batch_[\d-]+\.[a-z\d]+$/.test(basename(path)) &&
    (folder === parquetFiles || folder === droppedColumns || isBeside)
  );
}
