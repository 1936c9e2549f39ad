import { isDeepStrictEqual } from 'node:util';
import type { FileMetaData, RowGroup } from 'hyparquet';
import { ParquetWriter } from 'hyparquet-writer';
import { type ByteRange, damageIn, eachPiece, type GroupBytes, RangeSums } from '../../repair/checksums.ts';
import { changedFile, damagedFile, orDamaged } from '../../repair/damaged-file.ts';
import type { Append, FindGroups, MergeSource } from '../dataset-format.ts';
import { parquetFile, parquetMetadata } from './parquet-file.ts';
import { bytesOf, type Chunk, groupsIn } from './row-group-bytes.ts';
import { StreamWriter } from './stream-writer.ts';

/** Pieces in which the content of files is copied. */
const PIECE_BYTES = 1024 * 1024;

/** Bounds of text stay the bytes they are: one that was cut within a character is no text. */
const parsers = { stringFromBytes: (bytes: Uint8Array) => bytes as never };

/**
 * Appends the content of Parquet files of one schema as one file, which has the row groups of all of them as they are:
 * pages are copied, not read, a megabyte in memory at a time. A file that does not agree with its checksum is
 * `dataset/damaged`. Gives undefined, with nothing appended, where their schemas or marks differ.
 */
export async function mergeParquet(sources: readonly MergeSource[], append: Append): Promise<FindGroups | undefined> {
  const opened = await Promise.all(
    sources.map(async (source) => ({ source, metadata: await orDamaged(source.path, () => metadataOf(source.path)) })),
  );
  const [first] = opened;
  if (!first || !opened.every(({ metadata }) => isAlike(metadata, first.metadata))) return undefined;
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
  const groups: GroupBytes[] = [];
  for (const { source, metadata } of opened) {
    const copied = metadata.row_groups.filter((group) => isWithin(group, source.only));
    const begin = writer.offset;
    const span = bytesOf(copied);
    const found = await copy(source, { copied, span, piece }, (bytes) => writer.appendBytes(bytes));
    groups.push(...movedGroups(found, begin, begin - span.from));
    merged.row_groups.push(...copied.map((group) => moved(group, BigInt(begin - span.from))));
    for (const { num_rows: rows } of copied) merged.num_rows += rows;
  }
  await merged.finish();
  return () => Promise.resolve(groups);
}

async function metadataOf(path: string): Promise<FileMetaData> {
  return parquetMetadata(await parquetFile(path), { parsers, geoparquet: false });
}

function isAlike(one: FileMetaData, other: FileMetaData): boolean {
  return (
    isDeepStrictEqual(one.schema, other.schema) && isDeepStrictEqual(one.key_value_metadata, other.key_value_metadata)
  );
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

/** What is copied of a file, and the memory through which it passes. */
interface Copied {
  readonly copied: readonly RowGroup[];
  readonly span: ByteRange;
  readonly piece: Buffer;
}

/** Hands on the pages of a file, read once from its beginning to its end, and gives where its row groups stand in it. */
async function copy(
  { path, span: groups, sum, only }: MergeSource,
  { copied, span, piece }: Copied,
  append: Append,
): Promise<readonly GroupBytes[]> {
  const known = only ?? sum?.groups;
  const wanted = known ?? (groups ? groupsIn(copied, groups) : []);
  const sums = new RangeSums(wanted);
  const checked = new RangeSums(sum?.groups);
  let at = 0;
  await eachPiece(
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
  if (at < span.to) throw damagedFile(path, new Error('it ends before its pages do'));
  if (sum && !only && damageIn(checked, sum)) throw changedFile(path);
  return known ?? wanted.map((one, index) => ({ ...one, crc32: sums.inside[index] ?? 0 }));
}

function isWithin(group: RowGroup, only: readonly GroupBytes[] | undefined): boolean {
  const { from: at } = bytesOf([group]);
  return only?.some(({ from, to }) => at >= from && at < to) ?? true;
}

/** Row groups that stand elsewhere in their file, in order; those without rows stand where the one before them ends. */
function movedGroups(groups: readonly GroupBytes[], begin: number, by: number): readonly GroupBytes[] {
  let end = begin;
  return groups.map((one) => {
    const isEmpty = one.from === one.to;
    const from = isEmpty ? end : one.from + by;
    end = isEmpty ? end : one.to + by;
    return { ...one, from, to: end };
  });
}
