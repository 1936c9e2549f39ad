import { open } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { FileMetaData, RowGroup } from 'hyparquet';
import { ParquetWriter } from 'hyparquet-writer';
import { damagedFile, orDamaged } from './damaged-file.ts';
import { parquetFile, parquetMetadata } from './parquet-file.ts';
import { StreamWriter } from './stream-writer.ts';

/** Pieces in which the content of files is copied. */
const PIECE_BYTES = 1024 * 1024;

/** Bounds of text stay the bytes they are: one that was cut within a character is no text. */
const parsers = { stringFromBytes: (bytes: Uint8Array) => bytes as never };

/**
 * Appends the content of Parquet files of one schema as one file, which has the row groups of all of them as they are:
 * pages are copied, not read, a megabyte in memory at a time. Gives false, with nothing appended, where their schemas
 * or marks differ.
 */
export async function mergeParquet(paths: readonly string[], append: (bytes: Uint8Array) => void): Promise<boolean> {
  const sources = await Promise.all(
    paths.map(async (path) => ({ path, metadata: await orDamaged(path, () => metadataOf(path)) })),
  );
  const [first] = sources;
  if (!first || !sources.every(({ metadata }) => isAlike(metadata, first.metadata))) return false;
  const { schema, key_value_metadata: kvMetadata, created_by: createdBy } = first.metadata;
  const writer = new StreamWriter(append);
  const merged = new ParquetWriter({
    writer,
    schema,
    ...(kvMetadata ? { kvMetadata } : {}),
    ...(createdBy === undefined ? {} : { createdBy }),
  });
  // One for all files: what each would leave behind waits for a collection that a run's end does not bring.
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  for (const { path, metadata } of sources) {
    if (metadata.row_groups.length === 0) continue;
    const from = startOf(metadata.row_groups);
    const by = BigInt(writer.offset - from);
    const span = { from, to: endOf(metadata.row_groups), piece };
    await copy(path, span, (bytes) => writer.appendBytes(bytes));
    merged.row_groups.push(...metadata.row_groups.map((group) => moved(group, by)));
    merged.num_rows += metadata.num_rows;
  }
  await merged.finish();
  return true;
}

async function metadataOf(path: string): Promise<FileMetaData> {
  return parquetMetadata(await parquetFile(path), { parsers, geoparquet: false });
}

function isAlike(one: FileMetaData, other: FileMetaData): boolean {
  return (
    isDeepStrictEqual(one.schema, other.schema) && isDeepStrictEqual(one.key_value_metadata, other.key_value_metadata)
  );
}

type Chunk = NonNullable<RowGroup['columns'][number]['meta_data']>;

function chunksOf(groups: readonly RowGroup[]): readonly Chunk[] {
  return groups.flatMap(({ columns }) => columns.flatMap(({ meta_data: chunk }) => (chunk ? [chunk] : [])));
}

/** A chunk begins with its dictionary where it has one. */
function chunkStart({ dictionary_page_offset: dictionary, data_page_offset: data }: Chunk): number {
  return Number(dictionary !== undefined && dictionary > 0n && dictionary < data ? dictionary : data);
}

function startOf(groups: readonly RowGroup[]): number {
  return chunksOf(groups).reduce((start, chunk) => Math.min(start, chunkStart(chunk)), Infinity);
}

function endOf(groups: readonly RowGroup[]): number {
  return chunksOf(groups).reduce((end, chunk) => {
    return Math.max(end, chunkStart(chunk) + Number(chunk.total_compressed_size));
  }, 0);
}

/** A row group that stands elsewhere in its file. Indexes and filters, which are optional, stay behind. */
function moved(group: RowGroup, by: bigint): RowGroup {
  const shift = <Offset extends bigint | undefined>(offset: Offset) => (offset ? ((offset + by) as Offset) : offset);
  const { file_offset: at } = group;
  return {
    ...group,
    ...(at === undefined ? {} : { file_offset: shift(at) }),
    columns: group.columns.map(({ file_path, file_offset, meta_data: chunk }) => ({
      ...(file_path === undefined ? {} : { file_path }),
      file_offset: shift(file_offset),
      ...(chunk ? { meta_data: movedChunk(chunk, shift) } : {}),
    })),
  };
}

function movedChunk(
  { bloom_filter_offset: _filter, bloom_filter_length: _length, ...chunk }: Chunk,
  shift: <Offset extends bigint | undefined>(offset: Offset) => Offset,
): Chunk {
  const { dictionary_page_offset: dictionary, index_page_offset: index } = chunk;
  return {
    ...chunk,
    data_page_offset: shift(chunk.data_page_offset),
    ...(dictionary === undefined ? {} : { dictionary_page_offset: shift(dictionary) }),
    ...(index === undefined ? {} : { index_page_offset: shift(index) }),
  };
}

/** A part of a file, and the memory through which it passes. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly piece: Buffer;
}

/** Hands on a part of a file, piece by piece. */
async function copy(path: string, { from, to, piece }: Span, append: (bytes: Uint8Array) => void): Promise<void> {
  await using file = await open(path, 'r');
  for (let at = from; at < to;) {
    const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, to - at), at);
    if (bytesRead === 0) throw damagedFile(path, new Error('it ends before its pages do'));
    append(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
}
