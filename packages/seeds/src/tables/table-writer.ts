import { closeSync, openSync, writeFileSync } from 'node:fs';
import { ParquetWriter } from 'hyparquet-writer';
import type { ArrowField } from '@data-designer/core';
import { pageCodec, parquetSchema, parquetValues, StreamWriter } from '@data-designer/dataset';
import { storageFailure } from '@data-designer/dataset/journal';

/** Writes a Parquet file a row group at a time, with about a megabyte of it in memory. Throws `dataset/*`. */
export class TableWriter implements Disposable {
  readonly #path: string;
  readonly #fields: readonly ArrowField[];
  readonly #file: number;
  readonly #writer: ParquetWriter;

  /** The fields under their stored names; the path must be free. A file that is only read once more need not be packed. */
  constructor(path: string, fields: readonly ArrowField[], { isPacked }: { readonly isPacked: boolean }) {
    this.#path = path;
    this.#fields = fields;
    this.#file = this.#tried(() => openSync(path, 'wx', 0o600));
    const writer = new StreamWriter((bytes) => writeFileSync(this.#file, bytes));
    const packing = isPacked ? pageCodec() : ({ codec: 'UNCOMPRESSED' } as const);
    this.#writer = new ParquetWriter({ writer, schema: parquetSchema(fields), statistics: false, ...packing });
  }

  /** Writes a row group: the values of each field, in the order of the fields. */
  write(columns: readonly (readonly unknown[])[]): void {
    const rows = columns[0]?.length ?? 0;
    if (rows === 0) return;
    const columnData = this.#fields.map((field, index) => {
      const values = columns[index] ?? [];
      const data = parquetValues(field, { name: field.name, values, rowOf: (slot) => slot });
      // The writer's dictionary takes 0 and -0 for one value.
      return field.type === 'float64'
        ? { name: field.name, data, encoding: 'PLAIN' as const }
        : { name: field.name, data };
    });
    this.#tried(() => void this.#writer.write({ columnData, rowGroupSize: rows }));
  }

  /** Writes what stands at the end of the file. */
  finish(): void {
    this.#tried(() => void this.#writer.finish());
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
