import type { Row } from '@data-designer/core';
import type { DatasetPaths, SideTable } from '@data-designer/dataset';
import { type RefusedRow, RowFiles, type RowFilesOptions } from './row-files.ts';

/** A row with its rows in the side tables. */
export interface WholeRow {
  readonly main: Row;
  readonly sides: readonly Row[];
}

/** How the rows of a finished dataset are stored again. */
interface SelectedTables extends RowFilesOptions {
  readonly sides: readonly SideTable[];
  readonly groupSize: number;
}

/** Writes the accepted and the refused rows of a finished dataset; memory holds one row group of each. */
export class SelectedFiles {
  readonly #tables: SelectedTables;
  readonly #files: RowFiles;
  #accepted: WholeRow[] = [];
  #refused: RefusedRow[] = [];
  #groups = 0;
  #refusedGroups = 0;

  constructor(paths: DatasetPaths, tables: SelectedTables) {
    this.#tables = tables;
    this.#files = new RowFiles(paths, tables);
  }

  async accept(row: WholeRow): Promise<void> {
    if (this.#accepted.push(row) >= this.#tables.groupSize) await this.#writeAccepted();
  }

  async refuse(row: Row, reason: string): Promise<void> {
    if (this.#refused.push({ row, reason }) >= this.#tables.groupSize) await this.#writeRefused();
  }

  /** Writes the rows of unfinished groups. */
  async finish(): Promise<void> {
    if (this.#accepted.length > 0) await this.#writeAccepted();
    if (this.#refused.length > 0) await this.#writeRefused();
  }

  async #writeAccepted(): Promise<void> {
    const group = this.#groups++;
    for (const [at, table] of this.#tables.sides.entries()) {
      const side = this.#accepted.map((row) => row.sides[at] ?? {});
      await this.#files.writeSide(table, group, side);
    }
    await this.#files.writeRows(
      group,
      this.#accepted.map(({ main }) => main),
    );
    this.#accepted = [];
  }

  async #writeRefused(): Promise<void> {
    await this.#files.writeRefused(this.#refusedGroups++, this.#refused);
    this.#refused = [];
  }
}
