import { parquetMetadataAsync } from 'hyparquet';
import type { ArrowField } from '@data-designer/core';
import {
  FIELDS_KEY,
  type OpenParquet,
  type PlainRow,
  readPositions,
  readRange,
  rowDecoder,
  rowGroupRanges,
  type RowRange,
} from '@data-designer/dataset/browser';
import { RangedFile } from './ranged-file.ts';

/** The bytes at the end of the file that are read first. */
const END_BYTES = 256 * 1024;
/** The row groups that a scan requests ahead. */
const AHEAD = 6;
/** A filter or a sort that reads more columns than this is refused. */
const MAX_SCANNED_BYTES = 1_000_000_000;

/** Consecutive rows with the scanned columns. */
export interface ScannedRows {
  /** The position of the first one. */
  readonly first: number;
  readonly rows: readonly PlainRow[];
}

/** The rows of a copied dataset, read from its Parquet file by the parts that are needed. */
export class CopiedRows {
  readonly total: number;
  readonly fields: readonly ArrowField[];
  readonly #parquet: OpenParquet;
  readonly #groups: readonly RowRange[];
  readonly #decode: (row: Readonly<Record<string, unknown>>) => PlainRow;
  readonly #bytes: ReadonlyMap<string, number>;

  private constructor(parquet: OpenParquet) {
    const { metadata } = parquet;
    const text = metadata.key_value_metadata?.find(({ key }) => key === FIELDS_KEY)?.value ?? '[]';
    this.total = Number(metadata.num_rows);
    this.fields = JSON.parse(text);
    this.#parquet = parquet;
    this.#groups = [...rowGroupRanges(metadata)];
    this.#decode = rowDecoder(this.fields);
    this.#bytes = columnBytes(parquet);
  }

  static async open(url: string, byteLength: number): Promise<CopiedRows> {
    const file = new RangedFile(url, byteLength);
    return new CopiedRows({ file, metadata: await parquetMetadataAsync(file, { initialFetchSize: END_BYTES }) });
  }

  /** The compressed bytes of columns. */
  bytesOf(columns: Iterable<string>): number {
    return Array.from(columns, (name) => this.#bytes.get(name) ?? 0).reduce((sum, bytes) => sum + bytes, 0);
  }

  /** The rows at positions in any order, with all columns or only these; undefined where there is none. */
  async at(positions: readonly number[], columns?: readonly string[]): Promise<readonly (PlainRow | undefined)[]> {
    const names = this.fields.flatMap(({ name }) => (columns?.includes(name) === false ? [] : name));
    const sorted = [...new Set(positions)].filter((at) => at < this.total).toSorted((a, b) => a - b);
    const decode = this.#decode;
    const groups = this.#groups.map(({ rowStart, rowEnd }) => sorted.filter((at) => at >= rowStart && at < rowEnd));
    const read = groups
      .filter((inside) => inside.length > 0)
      .map(async (inside) => {
        const rows = await readPositions(this.#parquet, { positions: inside, columns: names, decode });
        return rows.map((row, index) => [inside[index], row] as const);
      });
    const byPosition = new Map((await Promise.all(read)).flat());
    return positions.map((position) => byPosition.get(position));
  }

  /** All rows with these columns, a row group at a time. Throws where that is too much to download, and once aborted. */
  async *scan(columns: Iterable<string>, signal: AbortSignal): AsyncGenerator<ScannedRows> {
    const names = [...new Set(columns)].filter((name) => this.#bytes.has(name));
    const bytes = this.bytesOf(names);
    if (bytes > MAX_SCANNED_BYTES) {
      throw new Error(
        `This reads ${(bytes / 1e9).toFixed(1)} GB of columns, and a static copy reads at most ` +
          `${MAX_SCANNED_BYTES / 1e9} GB. Use \`data-designer view\` on the dataset.`,
      );
    }
    const decode = this.#decode;
    const requested: Promise<readonly PlainRow[]>[] = [];
    for (const [at, { rowStart: first }] of this.#groups.entries()) {
      for (const range of this.#groups.slice(at + requested.length, at + AHEAD)) {
        const rows = readRange(this.#parquet, { ...range, columns: names, decode });
        // A scan that ends early does not wait for it.
        rows.catch(() => undefined);
        requested.push(rows);
      }
      const rows = await requested.shift();
      signal.throwIfAborted();
      yield { first, rows: rows ?? [] };
    }
  }
}

function columnBytes({ metadata }: OpenParquet): ReadonlyMap<string, number> {
  const bytes = new Map<string, number>();
  for (const { meta_data: chunk } of metadata.row_groups.flatMap(({ columns }) => columns)) {
    const [name] = chunk?.path_in_schema ?? [];
    if (name !== undefined) bytes.set(name, (bytes.get(name) ?? 0) + Number(chunk?.total_compressed_size ?? 0));
  }
  return bytes;
}
