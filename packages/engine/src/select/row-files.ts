import { existsSync } from 'node:fs';
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
  datasetPaths,
  discard,
  type ImageSum,
  makeFolder,
  refusedFolders,
  type SideTable,
  sideFolders,
} from '@data-designer/dataset';
import { imagesOf, linkImages, sumImages } from '@data-designer/dataset/link-images';
import { stageBatch } from '@data-designer/dataset/write';

/** The column of refused rows with the reason. */
const REASON = field('_reason', 'utf8');

/** How selected rows are stored. */
export interface RowFilesOptions {
  readonly plan: Pick<Plan, 'fields' | 'layout'>;
  readonly format: BatchFormat;
  /** The folder with the images of the rows. */
  readonly imagesFrom: string;
}

/** A refused row. */
export interface RefusedRow {
  readonly row: Row;
  readonly reason: string;
}

/** Rows of a file, and the checksums of their images; none of rows whose images are not checked. */
interface WrittenRows {
  readonly fields: readonly ArrowField[];
  readonly rows: readonly Row[];
  readonly images?: Parameters<ChecksumLog['add']>[1];
}

/** Writes selected and refused rows as the files of row groups. */
export class RowFiles {
  readonly #paths: DatasetPaths;
  readonly #options: RowFilesOptions;
  readonly #checksums: ChecksumLog;
  #known: Promise<ReadonlyMap<string, ImageSum>> | undefined;

  constructor(paths: DatasetPaths, options: RowFilesOptions) {
    this.#paths = paths;
    this.#options = options;
    this.#checksums = new ChecksumLog(paths);
  }

  /** Writes the rows of a group, and the checksums of their images. Throws `dataset/damaged` for an image that is damaged. */
  async writeRows(group: number, rows: readonly Row[]): Promise<void> {
    const images = await this.#sumsOf(rows);
    await this.#write(this.#paths, group, { fields: this.#options.plan.fields, rows, images: [{ group, images }] });
  }

  async #sumsOf(rows: readonly Row[]): Promise<readonly ImageSum[]> {
    const paths = imagesOf(rows);
    if (paths.size === 0) return [];
    try {
      return await sumImages(this.#options.imagesFrom, paths, await this.#knownImages());
    } catch (thrown) {
      // A damaged image is made again, and is another one then.
      this.#known = undefined;
      throw thrown;
    }
  }

  /** The images that had a checksum when the first rows were written. */
  #knownImages(): Promise<ReadonlyMap<string, ImageSum>> {
    this.#known ??= new ChecksumLog(datasetPaths(this.#options.imagesFrom)).read().then(({ images }) => {
      return new Map([...images.values()].flat().map((image) => [image.path, image]));
    });
    return this.#known;
  }

  /** Writes the rows of a group in a side table. */
  writeSide(table: SideTable, group: number, rows: readonly Row[]): Promise<void> {
    return this.#write(sideFolders(this.#paths, table), group, { fields: table.fields, rows });
  }

  /** Writes refused rows with their reasons; removes the file of an earlier run if there are none. */
  async writeRefused(group: number, refused: readonly RefusedRow[]): Promise<void> {
    const folders = refusedFolders(this.#paths);
    const path = join(folders.parquetFiles, batchName(group, this.#options.format));
    if (refused.length === 0) {
      // Its checksum goes first: a file without one is not missed.
      if (existsSync(path)) await this.#checksums.forget(path);
      return discard({ temporary: path });
    }
    const rows = refused.map(({ row, reason }) => ({ ...row, [REASON.name]: reason }));
    const images = [{ path, images: await this.#sumsOf(rows) }];
    await this.#write(folders, group, { fields: [...this.#options.plan.fields, REASON], rows, images });
  }

  /** Writes rows with their images as the file of a row group, and replaces an earlier one. */
  async #write(
    { parquetFiles, partialFiles }: BatchFolders,
    group: number,
    { fields, rows, images = [] }: WrittenRows,
  ): Promise<void> {
    const { plan, format, imagesFrom } = this.#options;
    await linkImages(imagesOf(rows), imagesFrom, this.#paths.folder);
    const name = batchName(group, format);
    const target = { path: join(parquetFiles, name), temporary: join(partialFiles, name) };
    for (const path of [parquetFiles, partialFiles]) await makeFolder(path);
    const { layout } = plan;
    const file = await stageBatch(batchOf(rows, fields), target, { format, ...(layout ? { layout } : {}) });
    await this.#checksums.add([file], images);
    await commit(target);
  }
}
