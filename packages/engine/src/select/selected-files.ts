import { join } from 'node:path';
import { type ArrowField, field, type Plan, type Row } from '@data-designer/core';
import {
  type BatchFolders,
  type BatchFormat,
  batchName,
  batchOf,
  ChecksumLog,
  commit,
  type DatasetPaths,
  linkImages,
  makeFolder,
  type SideTable,
  sideFolders,
} from '@data-designer/dataset';
import { stageBatch } from '@data-designer/dataset/write';

/** The column of refused rows with the reason. */
const REASON = field('_reason', 'utf8');

/** A row with its rows in the side tables. */
export interface WholeRow {
  readonly main: Row;
  readonly sides: readonly Row[];
}

/** How the rows of a finished dataset are stored again. */
interface SelectedTables {
  readonly plan: Pick<Plan, 'fields' | 'layout'>;
  readonly sides: readonly SideTable[];
  readonly format: BatchFormat;
  readonly groupSize: number;
  /** The folder with the images of the rows. */
  readonly folder: string;
}

/** Writes the accepted and the refused rows of a finished dataset; memory holds one row group of each. */
export class SelectedFiles {
  readonly #tables: SelectedTables;
  readonly #paths: DatasetPaths;
  readonly #checksums: ChecksumLog;
  #accepted: WholeRow[] = [];
  #refused: Row[] = [];
  #groups = 0;
  #refusedGroups = 0;

  constructor(paths: DatasetPaths, tables: SelectedTables) {
    this.#paths = paths;
    this.#tables = tables;
    this.#checksums = new ChecksumLog(paths);
  }

  async accept(row: WholeRow): Promise<void> {
    if (this.#accepted.push(row) >= this.#tables.groupSize) await this.#writeAccepted();
  }

  async refuse(row: Row, reason: string): Promise<void> {
    this.#refused.push({ ...row, [REASON.name]: reason });
    if (this.#refused.length >= this.#tables.groupSize) await this.#writeRefused();
  }

  /** Writes the rows of unfinished groups. */
  async finish(): Promise<void> {
    if (this.#accepted.length > 0) await this.#writeAccepted();
    if (this.#refused.length > 0) await this.#writeRefused();
  }

  async #writeAccepted(): Promise<void> {
    const { sides, plan, folder } = this.#tables;
    const rows = this.#accepted.map(({ main }) => main);
    for (const [at, table] of sides.entries()) {
      const side = this.#accepted.map((row) => row.sides[at] ?? {});
      await this.#write(sideFolders(this.#paths, table), this.#groups, { fields: table.fields, rows: side });
    }
    await linkImages([...rows, ...this.#accepted.flatMap((row) => row.sides)], folder, this.#paths.folder);
    await this.#write(this.#paths, this.#groups++, { fields: plan.fields, rows });
    this.#accepted = [];
  }

  async #writeRefused(): Promise<void> {
    const { folder, partialFiles } = this.#paths;
    const folders = { parquetFiles: join(folder, 'rejected'), partialFiles: join(partialFiles, 'rejected') };
    const fields = [...this.#tables.plan.fields, REASON];
    await linkImages(this.#refused, this.#tables.folder, folder);
    await this.#write(folders, this.#refusedGroups++, { fields, rows: this.#refused });
    this.#refused = [];
  }

  async #write(
    { parquetFiles, partialFiles }: BatchFolders,
    group: number,
    { fields, rows }: { readonly fields: readonly ArrowField[]; readonly rows: readonly Row[] },
  ): Promise<void> {
    const { format, plan } = this.#tables;
    const { layout } = plan;
    for (const path of [parquetFiles, partialFiles]) await makeFolder(path);
    const name = batchName(group, format);
    const target = { path: join(parquetFiles, name), temporary: join(partialFiles, name) };
    const file = await stageBatch(batchOf(rows, fields), target, { format, ...(layout ? { layout } : {}) });
    await this.#checksums.add([file]);
    await commit(target);
  }
}
