import { type FileMetaData, parquetSchema } from 'hyparquet';
import type { RecordBatch } from 'apache-arrow';
import type { ArrowField } from '@data-designer/core';
import type { GroupSpan } from '../../dataset-paths.ts';
import { type DecodeRow, type PlainRow, rowDecoder } from '../../encode/decode-row.ts';
import { chunksOf } from '../../encode/row-chunks.ts';
import { orDamaged } from '../../files/damaged-file.ts';
import type { DecodedGroups, RowAccess, RowBlock, TableReader } from '../dataset-format.ts';
import { parquetFile, parquetMetadata } from './parquet-file.ts';
import { pageDecompressors } from './parquet-codec.ts';
import { FIELDS_KEY } from './parquet-schema.ts';
import { convertedFields, fieldOf, plainType } from './parquet-types.ts';
import { bytesByColumn, type OpenParquet, readPositions, readRange, rowGroupRanges } from './read-ranges.ts';
import { locateGroups } from './row-group-bytes.ts';

/** Reads the Parquet files of a dataset. */
export const parquetReader: TableReader = {
  readBlocks: (path, skip) => readBlocks([path], { skip }),
  rowsAt,
  countRows,
  openRows,
  recordBatches,
  checkGroups,
};

/** What is read of files. */
interface ReadOptions {
  /** The only columns that are read; default: all. */
  readonly fields?: readonly ArrowField[] | undefined;
  /** The first rows, which are left out. */
  readonly skip?: number;
}

/** The rows of files, a row group in memory at a time; throws `dataset/damaged`. */
export async function* readRows(paths: Iterable<string>, options: ReadOptions = {}): AsyncGenerator<PlainRow> {
  for await (const rows of readBlocks(paths, options)) yield* rows;
}

async function* readBlocks(
  paths: Iterable<string>,
  { fields, skip = 0 }: ReadOptions,
): AsyncGenerator<readonly PlainRow[]> {
  const columns = fields?.map(({ name }) => name);
  let left = skip;
  for (const path of paths) {
    const { parquet, decode } = await orDamaged(path, () => openToDecode(path, { fields, isWhole: true }));
    for (const { rowStart: begin, rowEnd } of rowGroupRanges(parquet.metadata)) {
      const rowStart = Math.min(begin + left, rowEnd);
      left -= rowStart - begin;
      if (rowStart < rowEnd)
        yield await orDamaged(path, () => readRange(parquet, { rowStart, rowEnd, decode, columns }));
    }
  }
}

async function rowsAt(path: string, position: number): Promise<RowBlock | undefined> {
  return orDamaged(path, async () => {
    const { parquet, decode } = await openToDecode(path);
    const range = [...rowGroupRanges(parquet.metadata)].find(({ rowEnd }) => position < rowEnd);
    return range && { first: range.rowStart, rows: await readRange(parquet, { ...range, decode }) };
  });
}

async function openRows(path: string): Promise<RowAccess> {
  const { parquet, decode } = await orDamaged(path, () => openToDecode(path));
  const { num_rows: rows, row_groups: groups } = parquet.metadata;
  return {
    rows: Number(rows),
    chunks: groups.reduce((sum, { columns }) => sum + columns.length, 0),
    at: (positions, columns) => orDamaged(path, () => readPositions(parquet, { positions, columns, decode })),
  };
}

async function* recordBatches(path: string, fields: readonly ArrowField[]): AsyncGenerator<RecordBatch> {
  const { encodeBatch } = await import('../../encode/encode-batch.ts');
  for await (const batch of chunksOf(readRows([path]), fields)) yield encodeBatch(batch);
}

async function checkGroups(path: string, span: GroupSpan): Promise<DecodedGroups> {
  const { parquet, decode } = await orDamaged(path, () => openToDecode(path));
  const failures: unknown[] = [];
  for (const range of rowGroupRanges(parquet.metadata)) {
    const failure: unknown = await readRange(parquet, { ...range, decode }).then(
      (rows) => (rows.length === range.rowEnd - range.rowStart ? undefined : new Error('rows are missing')),
      (thrown: unknown) => thrown,
    );
    failures.push(failure);
  }
  return { groups: locateGroups(parquet.metadata.row_groups, span), failures };
}

/** The number of rows in a Parquet file's footer; throws `dataset/damaged` if it cannot be read. */
export async function countRows(path: string): Promise<number> {
  const { metadata } = await orDamaged(path, () => openParquet(path));
  return Number(metadata.num_rows);
}

/** What the footer of a file tells. */
export interface ParquetFooter {
  readonly rows: number;
  /** The columns: their stored types, without an annotation that changes their meaning, and their bytes before compression. */
  readonly columns: ReadonlyMap<
    string,
    { readonly type: 'utf8' | 'int64' | 'bool' | undefined; readonly bytes: number }
  >;
}

/** Reads the footer of a file; throws `dataset/damaged` if it cannot be read. */
export async function readFooter(path: string): Promise<ParquetFooter> {
  const { metadata } = await orDamaged(path, () => openParquet(path));
  const bytes = bytesByColumn(metadata.row_groups);
  const columns = parquetSchema(metadata).children.map(({ element, children: members }) => {
    const { name } = element;
    const type = members.length === 0 ? plainType(element) : undefined;
    return [name, { type, bytes: bytes.get(name) ?? 0 }] as const;
  });
  return { rows: Number(metadata.num_rows), columns: new Map(columns) };
}

/** More files tell the size of a row no better. */
const LOOKED_AT_FILES = 20;

/** About the bytes of a row of files before compression, by column; throws `dataset/damaged` if a footer cannot be read. */
export async function rowBytesByColumn(files: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const bytes = new Map<string, number>();
  let all = 0;
  for (const file of files.slice(0, LOOKED_AT_FILES)) {
    const { rows, columns } = await readFooter(file);
    all += rows;
    for (const [name, column] of columns) bytes.set(name, (bytes.get(name) ?? 0) + column.bytes);
  }
  return new Map(Array.from(bytes, ([name, sum]) => [name, sum / Math.max(1, all)]));
}

async function openParquet(path: string, options: { readonly isWhole?: boolean } = {}): Promise<OpenParquet> {
  const file = await parquetFile(path, options);
  return { file, metadata: await parquetMetadata(file), compressors: pageDecompressors };
}

async function openToDecode(
  path: string,
  { fields, isWhole = false }: { readonly fields?: readonly ArrowField[] | undefined; readonly isWhole?: boolean } = {},
): Promise<{ readonly parquet: OpenParquet; readonly decode: DecodeRow }> {
  const parquet = await openParquet(path, { isWhole });
  return { parquet, decode: rowDecoder(fields ?? (await fieldsIn(path, parquet.metadata))) };
}

async function fieldsIn(path: string, metadata: FileMetaData): Promise<readonly ArrowField[]> {
  const text = metadata.key_value_metadata?.find(({ key }) => key === FIELDS_KEY)?.value;
  if (text !== undefined) return JSON.parse(text) as readonly ArrowField[];
  // Another tool made the file.
  const { datasetOf, withDeclaredJson } = await import('./declared-json.ts');
  const fields = parquetSchema(metadata).children.map(fieldOf);
  return convertedFields(await withDeclaredJson(datasetOf(path), fields));
}
