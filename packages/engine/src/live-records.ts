import { join } from 'node:path';
import type { CellValue } from '@data-designer/core';
import {
  batchFiles,
  batchName,
  datasetPaths,
  markedGroups,
  readBatch,
  readDataset,
  readRunRecord,
} from '@data-designer/dataset';
import type { RunEvent } from './run-event.ts';

/**
 * The rows of a running run: follows its events to learn which row groups are committed, and reads their files as rows
 * are consumed. Memory holds the numbers of the groups only.
 */
export class LiveRecords {
  /** Rows by row group committed in this run. */
  readonly #made = new Map<number, number>();
  #path: string | undefined;
  #end: { readonly failure?: unknown } | undefined;
  #changed = Promise.withResolvers<void>();

  /** Follows an event of the run. */
  take(event: RunEvent): void {
    if (event.type === 'run-start') this.#path = event.path;
    else if (event.type === 'row-group-end') this.#made.set(event.group, event.rows);
    else return;
    this.#tell();
  }

  /** Ends the run with the dataset's path or the failure. */
  end(over: { readonly path: string } | { readonly failure: unknown }): void {
    if ('path' in over) this.#path = over.path;
    this.#end = 'failure' in over ? { failure: over.failure } : {};
    this.#tell();
  }

  /** The rows in group order, each once its group and all earlier ones are committed; then the run's failure. */
  async *records(): AsyncGenerator<Record<string, CellValue>> {
    let given = 0;
    for await (const row of this.#whileItGoes()) {
      given++;
      yield row;
    }
    if (this.#path !== undefined) yield* readDataset(this.#path, { skip: given });
    if (this.#end && 'failure' in this.#end) throw this.#end.failure;
  }

  /** The rows of committed groups in order, until the run is over or a merge at its end has replaced a file. */
  async *#whileItGoes(): AsyncGenerator<Record<string, CellValue>> {
    while (this.#path === undefined && !this.#end) await this.#changed.promise;
    if (this.#path === undefined || this.#end) return;
    const paths = datasetPaths(this.#path);
    const { format } = await readRunRecord(paths);
    // An unfinished group's file is read only after the group is made again.
    const left = new Set(await markedGroups(paths));
    const whole = (await batchFiles(paths)).filter(({ first }) => !left.has(first));
    const before = new Map(whole.map((file) => [file.first, file]));
    for (let next = 0; !this.#end;) {
      const file = before.get(next);
      const rows = this.#made.get(next);
      if (!file && rows === undefined) {
        await this.#changed.promise;
        continue;
      }
      const isThere = rows !== 0 && (yield* readBatch(file?.path ?? join(paths.parquetFiles, batchName(next, format))));
      if (rows !== 0 && !isThere) break;
      next = (file?.last ?? next) + 1;
    }
    while (!this.#end) await this.#changed.promise;
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
