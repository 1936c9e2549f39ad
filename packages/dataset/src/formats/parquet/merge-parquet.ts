import { isDeepStrictEqual } from 'node:util';
import type { FileMetaData, RowGroup } from 'hyparquet';
import { ParquetWriter } from 'hyparquet-writer';
import { type ByteRange, findDamage, type GroupBytes, RangeSums, readPieces } from '../../files/file-sum.ts';
import { changedFile, damagedFile, orDamaged } from '../../files/damaged-file.ts';
import type { Append, FindGroups, MergeSource } from '../dataset-format.ts';
import { parquetFile, parquetMetadata } from './parquet-file.ts';
import { bytesOf, type Chunk, locateGroups } from './row-group-bytes.ts';
import { StreamWriter } from './stream-writer.ts';

/** Files are copied in pieces of this size. */
const PIECE_BYTES = 1024 * 1024;

/** Keeps the bounds of text columns as bytes: a bound truncated within a character is not valid text. */
const parsers = { stringFromBytes: (bytes: Uint8Array) => bytes as never };

/** Appends row groups as one file without decoding pages, a megabyte at a time; nothing if schemas or metadata differ. */
export async function mergeParquet(sources: readonly MergeSource[], append: Append): Promise<FindGroups | undefined> {
  const opened = await Promise.all(
    sources.map(async (source) => ({ source, metadata: await orDamaged(source.path, () => metadataOf(source.path)) })),
  );
  const [first] = opened;
  if (!first || !opened.every(({ metadata }) => hasSameSchema(metadata, first.metadata))) return undefined;
  const { schema, key_value_metadata: kvMetadata, created_by: createdBy } = first.metadata;
  const writer = new StreamWriter(append);
  const merged = new ParquetWriter({
    writer,
    schema,
    ...(kvMetadata ? { kvMetadata } : {}),
    ...(createdBy === undefined ? {} : { createdBy }),
  });
  // One buffer for all files: a buffer each would stay in memory until the next garbage collection.
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  const groups: GroupBytes[] = [];
  for (const { source, metadata } of opened) {
    const copied = metadata.row_groups.filter((group) => isWithin(group, source.only));
    const begin = writer.offset;
    const span = bytesOf(copied);
    const found = await copy(source, { copied, span, piece }, (bytes) => writer.appendBytes(bytes));
    groups.push(...shiftRanges(found, begin, begin - span.from));
    merged.row_groups.push(...copied.map((group) => shiftGroup(group, BigInt(begin - span.from))));
    for (const { num_rows: rows } of copied) merged.num_rows += rows;
  }
  await merged.finish();
  return () => Promise.resolve(groups);
}

async function metadataOf(path: string): Promise<FileMetaData> {
  return parquetMetadata(await parquetFile(path), { parsers, geoparquet: false });
}

function hasSameSchema(one: FileMetaData, other: FileMetaData): boolean {
  return (
    isDeepStrictEqual(one.schema, other.schema) && isDeepStrictEqual(one.key_value_metadata, other.key_value_metadata)
  );
}

/** Shifts an offset; 0 stands for no offset. */
type Shift = (offset: bigint) => bigint;

/** The metadata of a row group at another offset. Drops page indexes and bloom filters, which are not copied. */
function shiftGroup(group: RowGroup, by: bigint): RowGroup {
  const shift: Shift = (offset) => (offset === 0n ? offset : offset + by);
  const { file_offset: at } = group;
  return {
    ...group,
    ...(at === undefined ? {} : { file_offset: shift(at) }),
    columns: group.columns.map(({ file_path, file_offset, meta_data: chunk }) => ({
      ...(file_path === undefined ? {} : { file_path }),
      file_offset: shift(file_offset),
      ...(chunk ? { meta_data: shiftChunk(chunk, shift) } : {}),
    })),
  };
}

function shiftChunk(
  { bloom_filter_offset: _filter, bloom_filter_length: _length, ...chunk }: Chunk,
  shift: Shift,
): Chunk {
  const { dictionary_page_offset: dictionary, index_page_offset: index } = chunk;
  return {
    ...chunk,
    data_page_offset: shift(chunk.data_page_offset),
    ...(dictionary === undefined ? {} : { dictionary_page_offset: shift(dictionary) }),
    ...(index === undefined ? {} : { index_page_offset: shift(index) }),
  };
}

/** The row groups to copy, their byte range, and the buffer to use. */
interface CopyOptions {
  readonly copied: readonly RowGroup[];
  readonly span: ByteRange;
  readonly piece: Buffer;
}

/** Reads a file once, appends the pages of the wanted row groups, and returns their byte ranges in the file. */
async function copy(
  { path, span: groups, sum, only }: MergeSource,
  { copied, span, piece }: CopyOptions,
  append: Append,
): Promise<readonly GroupBytes[]> {
  const known = only ?? sum?.groups;
  const wanted = known ?? (groups ? locateGroups(copied, groups) : []);
  const sums = new RangeSums(wanted);
  const checked = new RangeSums(sum?.groups);
  let at = 0;
  await readPieces(
    path,
    (bytes) => {
      sums.add(bytes);
      if (sum && !only) checked.add(bytes);
      const [begin, end] = [Math.max(span.from - at, 0), Math.min(span.to - at, bytes.length)];
      if (begin < end) append(bytes.subarray(begin, end));
      at += bytes.length;
    },
    { piece },
  );
  if (at < span.to) throw damagedFile(path, new Error('it is truncated: pages are missing'));
  if (sum && !only && findDamage(checked, sum)) throw changedFile(path);
  return known ?? wanted.map((one, index) => ({ ...one, crc32: sums.inside[index] ?? 0 }));
}

function isWithin(group: RowGroup, only: readonly GroupBytes[] | undefined): boolean {
  const { from: at } = bytesOf([group]);
  return only?.some(({ from, to }) => at >= from && at < to) ?? true;
}

/** The byte ranges of row groups at another offset; an empty group begins where the previous one ends. */
function shiftRanges(groups: readonly GroupBytes[], begin: number, by: number): readonly GroupBytes[] {
  let end = begin;
  return groups.map((one) => {
    const isEmpty = one.from === one.to;
    const from = isEmpty ? end : one.from + by;
    end = isEmpty ? end : one.to + by;
    return { ...one, from, to: end };
  });
}
