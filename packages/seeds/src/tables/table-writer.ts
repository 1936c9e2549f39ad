import { closeSync, openSync, writeFileSync } from 'node:fs';
import { ParquetWriter } from 'hyparquet-writer';
import type { ArrowField } from '@data-designer/core';
import { pageCodec, parquetColumn, parquetSchema, StreamWriter } from '@data-designer/dataset/parquet';
import { storageFailure } from '@data-designer/dataset/journal';

/** Row groups of seed tables end at this many rows, or about this many bytes: a thread decodes a group as a whole. */
export const GROUP_ROWS = 10_240;
export const GROUP_BYTES = 1024 * 1024;

/** Writes a Parquet file by row group or by row. Throws `dataset/*`. */
export class TableWriter implements Disposable {
  readonly #path: string;
  readonly #fields: readonly ArrowField[];
  readonly #file: number;
  readonly #writer: ParquetWriter;
  #group: unknown[][];
  #groupBytes = 0;

  /** Takes the fields under their stored names; the path must be free. A file that is read only once need not be packed. */
  constructor(path: string, fields: readonly ArrowField[], { isPacked }: { readonly isPacked: boolean }) {
    this.#path = path;
    this.#fields = fields;
    this.#group = fields.map(() => []);
    this.#file = this.#tried(() => openSync(path, 'wx', 0o600));
    const writer = new StreamWriter((bytes) => writeFileSync(this.#file, bytes));
    const packing = isPacked ? pageCodec() : ({ codec: 'UNCOMPRESSED' } as const);
    this.#writer = new ParquetWriter({ writer, schema: parquetSchema(fields), statistics: false, ...packing });
  }

  /** Writes a row group: the values of each field, in the order of the fields. */
  write(columns: readonly (readonly unknown[])[]): void {
    const rows = columns[0]?.length ?? 0;
    if (rows === 0) return;
    const columnData = this.#fields.map((field, index) =>
      parquetColumn(field, { name: field.name, values: columns[index] ?? [], rowOf: (slot) => slot }),
    );
    this.#tried(() => void this.#writer.write({ columnData, rowGroupSize: rows }));
  }

  /** Adds a row of about so many bytes; complete row groups are written. */
  add(row: readonly unknown[], bytes: number): void {
    row.forEach((value, index) => this.#group[index]?.push(value));
    this.#groupBytes += bytes;
    if (this.#groupBytes >= GROUP_BYTES || (this.#group[0]?.length ?? 0) >= GROUP_ROWS) this.#writeGroup();
  }

  /** Writes the rows added last, and the footer. */
  finish(): void {
    this.#writeGroup();
    this.#tried(() => void this.#writer.finish());
  }

  #writeGroup(): void {
    this.write(this.#group);
    this.#group = this.#fields.map(() => []);
    this.#groupBytes = 0;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #tried<Result>(write: () => Result): Result {
    try {
      return write();
    } catch (thrown) {
      throw storageFailure(thrown, this.#path);
    }
  }
}
