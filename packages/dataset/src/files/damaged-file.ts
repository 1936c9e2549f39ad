import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DataDesignerError, fieldsOf, itemsOf, messageOf, tryParse } from '@data-designer/core';
import { datasetPaths } from '../dataset-paths.ts';
import { isFromFileSystem } from './storage-failure.ts';

/** The remedy for a record of the run, which cannot be made again. */
export const RECORD_REMEDY = 'Restore the file from a copy, or create a new dataset under another name.';

const CHECKSUM_DIFFERS = 'its content differs from its checksum in checksums.jsonl';

/** The `dataset/damaged` error for a file that cannot be read, with a remedy if it holds rows of a dataset. */
export function damagedFile(path: string, thrown: unknown): DataDesignerError {
  if (thrown instanceof DataDesignerError) return thrown;
  if (thrown instanceof SyntaxError && !holdsRows(path)) return noJson(path, thrown);
  const [line = ''] = messageOf(thrown).split('\n');
  const reason = line.replace(/\.+$/, '');
  const remedy = holdsRows(path) && !isFromFileSystem(thrown) ? { remedy: resumeRemedy(path) } : {};
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

/** How a resume makes the rows of a file again; rows of models or tools need the consent to new requests. */
function resumeRemedy(path: string): string {
  const [flags, how] = makesRequests(path)
    ? ['--resume always --re-request', ' with new requests']
    : ['--resume always', ''];
  return `Resume the dataset (${flags}), which regenerates its rows${how}, or move the file elsewhere to read the others.`;
}

/** Whether the record of the run, which is beside the folder of the table or above, has a column that sends requests. */
function makesRequests(path: string): boolean {
  const table = dirname(dirname(path));
  const texts = [table, dirname(table)].flatMap((folder) => textOf(datasetPaths(folder).run) ?? []);
  const { plan } = fieldsOf(tryParse(texts[0] ?? '{}', JSON.parse));
  return itemsOf(fieldsOf(plan).columns).some((column) => {
    const { models, tools, recordsOutcomes, server } = fieldsOf(fieldsOf(column).requires);
    return [...itemsOf(models), ...itemsOf(tools)].length > 0 || recordsOutcomes === true || server !== undefined;
  });
}

function textOf(path: string): string | undefined {
  return tryParse(path, (name) => readFileSync(name, 'utf8'));
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
