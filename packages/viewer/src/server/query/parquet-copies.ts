import { basename, join } from 'node:path';
import type { ArrowField } from '@data-designer/core';
import { exportRows, readBatch, TemporaryFolder } from '@data-designer/dataset';

/** Copies of data files in Parquet, which DuckDB reads; Parquet files are used as they are. */
export class ParquetCopies implements AsyncDisposable {
  readonly #copied = new Map<string, Promise<string>>();
  #folder: TemporaryFolder | undefined;

  /** A Parquet file for each data file; a file is copied once. */
  async of(paths: readonly string[], fields: readonly ArrowField[]): Promise<readonly string[]> {
    const found: string[] = [];
    for (const path of paths) found.push(path.endsWith('.parquet') ? path : await this.#copyOf(path, fields));
    return found;
  }

  async #copyOf(path: string, fields: readonly ArrowField[]): Promise<string> {
    const known = this.#copied.get(path);
    if (known) return known;
    this.#folder ??= await TemporaryFolder.make();
    const copy = join(this.#folder.path, `${basename(path)}.parquet`);
    const copying = exportRows({ records: readBatch(path), fields }, copy, 'parquet').then(() => copy);
    this.#copied.set(path, copying);
    copying.catch(() => this.#copied.delete(path));
    return copying;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder?.[Symbol.asyncDispose]();
  }
}
