import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArrowField, type CellValue, DataDesignerError } from '@data-designer/core';
import { type RecordBatch, Table, tableFromIPC } from 'apache-arrow';
import { arrowSchema } from './store/arrow-schema.ts';
import { datasetPaths, groupOf } from './store/dataset-paths.ts';
import { encodeBatch } from './store/encode-batch.ts';
import { arrowRows, readArrowFile } from './store/read-arrow.ts';
import { readRows } from './store/read-rows.ts';

type Records = AsyncGenerator<Record<string, CellValue>>;

/** The rows of a dataset folder in order of its row groups, one of them in memory at a time. Throws `dataset/missing`. */
export async function* readDataset(folder: string): Records {
  for (const path of await batchPaths(folder)) {
    if (path.endsWith('.arrow')) yield* arrowRows(await readArrowFile(path));
    else yield* readRows([path]);
  }
}

/** A dataset folder as one Arrow table in memory. */
export async function readTable(folder: string, fields: readonly ArrowField[]): Promise<Table> {
  const batches: RecordBatch[] = [];
  for (const path of await batchPaths(folder)) {
    if (path.endsWith('.arrow')) batches.push(...(await readArrowFile(path)).batches);
    else batches.push(await batchOf(readRows([path]), fields));
  }
  return batches.length > 0 ? new Table(batches) : new Table(arrowSchema(fields));
}

/** The rows of Arrow IPC streams, as previews have them. */
export async function* readStreams(streams: readonly Uint8Array[]): Records {
  for (const bytes of streams) yield* arrowRows(tableFromIPC(bytes));
}

/** Arrow IPC streams as one table. */
export function streamsTable(streams: readonly Uint8Array[]): Table {
  const tables = streams.map((bytes) => tableFromIPC(bytes));
  const [first, ...rest] = tables;
  return first ? first.concat(...rest) : new Table();
}

async function batchPaths(folder: string): Promise<string[]> {
  const { parquetFiles } = datasetPaths(folder);
  const entries = await readdir(parquetFiles).catch((thrown: unknown) => {
    throw new DataDesignerError('dataset/missing', { path: folder }, { cause: thrown });
  });
  const names = entries.filter((name) => groupOf(name) !== undefined);
  return names
    .toSorted((a, b) => (groupOf(a) as number) - (groupOf(b) as number))
    .map((name) => join(parquetFiles, name));
}

async function batchOf(rows: Records, fields: readonly ArrowField[]): Promise<RecordBatch> {
  const columns = new Map<string, CellValue[]>(fields.map(({ name }) => [name, []]));
  let count = 0;
  for await (const row of rows) {
    count++;
    for (const [name, values] of columns) values.push(row[name] ?? null);
  }
  return encodeBatch(fields, columns, count);
}
