import type { Row } from '@data-designer/core';
import { type DatasetPaths, type RefusedCandidate, SelectionLog, type SideTable } from '@data-designer/dataset';
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
  readonly #log: SelectionLog;
  #accepted: WholeRow[] = [];
  #rejected: RefusedRow[] = [];
  #refused: RefusedCandidate[] = [];
  #groups = 0;
  #rejectedGroups = 0;
  #lines = 0;
  /** The rows decided since the last line. */
  #unlogged = 0;

  constructor(paths: DatasetPaths, tables: SelectedTables) {
    this.#tables = tables;
    this.#files = new RowFiles(paths, tables);
    this.#log = new SelectionLog(paths);
  }

  async accept(row: WholeRow): Promise<void> {
    this.#unlogged++;
    if (this.#accepted.push(row) >= this.#tables.groupSize) await this.#writeAccepted();
  }

  /** Records the reason for a refused row, and stores the row if refused rows are stored. */
  async refuse(
    row: Row,
    refused: RefusedCandidate,
    { keepRejected }: { readonly keepRejected: boolean },
  ): Promise<void> {
    this.#unlogged++;
    if (this.#refused.push(refused) >= this.#tables.groupSize) await this.#writeDecisions();
    if (!keepRejected) return;
    if (this.#rejected.push({ row, reason: refused.reason }) >= this.#tables.groupSize) await this.#writeRejected();
  }

  /** Writes the rows of unfinished groups. */
  async finish(): Promise<void> {
    if (this.#accepted.length > 0) await this.#writeAccepted();
    if (this.#rejected.length > 0) await this.#writeRejected();
    if (this.#unlogged > 0) await this.#writeDecisions();
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
    await this.#writeDecisions();
  }

  async #writeRejected(): Promise<void> {
    await this.#files.writeRefused(this.#rejectedGroups++, this.#rejected);
    this.#rejected = [];
  }

  async #writeDecisions(): Promise<void> {
    const [decided, refused] = [this.#unlogged, this.#refused];
    const accepted = decided - refused.length;
    await this.#log.add({ group: this.#lines++, decided, accepted, unmade: 0, digest: '', refused });
    this.#unlogged = 0;
    this.#refused = [];
  }
}
