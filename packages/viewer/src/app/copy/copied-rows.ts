import {
  asyncBufferFromUrl,
  type AsyncBuffer,
  cachedAsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
} from 'hyparquet';
import type { ColumnInfo } from '../../api/columns.ts';

/** A row of a copy; values as JSON holds them, and large integers. */
export type CopiedRow = Readonly<Record<string, unknown>>;

/** The rows of a copy, read from its Parquet file by the parts that are needed. */
export class CopiedRows {
  readonly total: number;
  readonly #file: AsyncBuffer;
  readonly #metadata: FileMetaData;
  readonly #columns: ReadonlyMap<string, ColumnInfo>;
  /** All values of the columns that filters read. */
  readonly #whole = new Map<string, Promise<readonly unknown[]>>();

  private constructor(file: AsyncBuffer, metadata: FileMetaData, columns: readonly ColumnInfo[]) {
    this.total = Number(metadata.num_rows);
    this.#file = file;
    this.#metadata = metadata;
    this.#columns = new Map(columns.map((column) => [column.name, column]));
  }

  static async open(url: string, byteLength: number, columns: readonly ColumnInfo[]): Promise<CopiedRows> {
    const file = cachedAsyncBuffer(await asyncBufferFromUrl({ url, byteLength }));
    return new CopiedRows(file, await parquetMetadataAsync(file), columns);
  }

  /** The rows from a position to another one, that excluded. */
  async read(from: number, to: number, columns: readonly string[]): Promise<readonly CopiedRow[]> {
    const wanted = columns.filter((name) => this.#columns.has(name));
    const rows = await parquetReadObjects({
      file: this.#file,
      metadata: this.#metadata,
      columns: wanted,
      rowStart: from,
      rowEnd: Math.min(to, this.total),
    });
    return rows.map((row) => Object.fromEntries(wanted.map((name) => [name, this.#valueOf(name, row[name])])));
  }

  /** All values of a column, which a filter compares. */
  column(name: string): Promise<readonly unknown[]> {
    let values = this.#whole.get(name);
    if (!values) {
      values = this.read(0, this.total, [name]).then((rows) => rows.map((row) => row[name]));
      this.#whole.set(name, values);
    }
    return values;
  }

  #valueOf(name: string, value: unknown): unknown {
    if (this.#columns.get(name)?.type === 'json' && typeof value === 'string') return JSON.parse(value);
    return plain(value);
  }
}

/** A value of Parquet as JSON holds it; integers beyond 2^53 stay as they are. */
function plain(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
}
