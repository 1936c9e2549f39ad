// The pages of a static copy use this module too: it must not import what needs Node.
import { type AsyncBuffer, type Compressors, type FileMetaData, parquetRead, parquetReadObjects } from 'hyparquet';
import type { Fields } from '@data-designer/core';
import type { DecodeRow, PlainRow } from '../../encode/decode-row.ts';
import { runsOf } from '../position-runs.ts';

/** A file, and its footer. */
export interface OpenParquet {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  /** Decompressors besides Snappy, which the reader has. */
  readonly compressors?: Compressors;
}

/** The rows from `rowStart` to `rowEnd - 1`. */
export interface RowRange {
  readonly rowStart: number;
  readonly rowEnd: number;
}

interface RowsToRead {
  readonly decode: DecodeRow;
  /** Default: all. */
  readonly columns?: readonly string[] | undefined;
}

/** Rows that lie this close are read together. */
const NEAR_ROWS = 64;
/** A column of a row group that is decoded whole, once for all scattered rows; others by the pages of each row. */
const WHOLE_BYTES = 1_000_000;

/** Keeps the stored numbers of dates and times, which `Date` cannot hold; their fields tell the units. */
const same = (value: bigint | number) => value as never;
/** Keeps U+FEFF at the begin of a text. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const parsers = {
  stringFromBytes: (bytes: Uint8Array) => bytes && decoder.decode(bytes),
  timestampFromMilliseconds: same,
  timestampFromMicroseconds: same,
  timestampFromNanoseconds: same,
  dateFromDays: same,
};

/** The rows of a range. */
export async function readRange(parquet: OpenParquet, range: RowRange & RowsToRead): Promise<PlainRow[]> {
  return (await readFields(parquet, range)).map(range.decode);
}

/** The rows at ascending positions. */
export async function readPositions(
  parquet: OpenParquet,
  { positions, ...rows }: RowsToRead & { readonly positions: readonly number[] },
): Promise<PlainRow[]> {
  const found: PlainRow[] = [];
  for (const range of rowGroupRanges(parquet.metadata)) {
    const inside = positions.filter((position) => position >= range.rowStart && position < range.rowEnd);
    if (inside.length === 0) continue;
    const fields = await readScattered(parquet, range, { positions: inside, columns: rows.columns });
    found.push(...fields.map(rows.decode));
  }
  return found;
}

/** The rows that each row group of a file has. */
export function* rowGroupRanges({ row_groups }: FileMetaData): Generator<RowRange> {
  let rowStart = 0;
  for (const { num_rows } of row_groups) {
    const rowEnd = rowStart + Number(num_rows);
    yield { rowStart, rowEnd };
    rowStart = rowEnd;
  }
}

/** Rows of one row group. */
async function readScattered(
  parquet: OpenParquet,
  group: RowRange,
  { positions, columns }: { readonly positions: readonly number[]; readonly columns: readonly string[] | undefined },
): Promise<readonly Fields[]> {
  const runs = runsOf(positions, NEAR_ROWS);
  const sizes = columnSizes(parquet.metadata, group);
  const names = columns ?? [...sizes.keys()];
  const whole = runs.length === 1 ? [] : names.filter((name) => (sizes.get(name) ?? Infinity) <= WHOLE_BYTES);
  const paged = names.filter((name) => !whole.includes(name));
  const byPosition = new Map<number, Record<string, unknown>>();
  for (const { first, last } of runs) {
    const read = { rowStart: first, rowEnd: last + 1, columns: paged };
    const rows = paged.length > 0 ? await readFields(parquet, read) : [];
    for (let at = first; at <= last; at++) byPosition.set(at, { ...rows[at - first] });
  }
  if (whole.length > 0) {
    await parquetRead({
      ...parquet,
      ...group,
      parsers,
      columns: whole,
      onChunk: ({ columnName, columnData, rowStart, rowEnd }) => {
        for (const [at, row] of byPosition) {
          if (at >= rowStart && at < rowEnd) row[columnName] = columnData[at - rowStart];
        }
      },
    });
  }
  return positions.map((position) => inOrder(byPosition.get(position) ?? {}, names));
}

/** The uncompressed bytes of each column in a row group. */
function columnSizes({ row_groups }: FileMetaData, { rowStart }: RowRange): ReadonlyMap<string, number> {
  let start = 0;
  for (const group of row_groups) {
    if (start === rowStart && group.num_rows > 0n) return bytesByColumn([group]);
    start += Number(group.num_rows);
  }
  return new Map();
}

/** The uncompressed bytes of each column in row groups. */
export function bytesByColumn(groups: FileMetaData['row_groups']): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { meta_data: chunk } of groups.flatMap(({ columns }) => columns)) {
    const [name = ''] = chunk?.path_in_schema ?? [];
    sizes.set(name, (sizes.get(name) ?? 0) + Number(chunk?.total_uncompressed_size ?? 0));
  }
  return sizes;
}

function inOrder(row: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

function readFields(parquet: OpenParquet, range: RowRange & Partial<RowsToRead>): Promise<Fields[]> {
  const { rowStart, rowEnd, columns } = range;
  const wanted = { rowStart, rowEnd, useOffsetIndex: true, ...(columns ? { columns: [...columns] } : {}) };
  return parquetReadObjects({ ...parquet, parsers, ...wanted });
}
