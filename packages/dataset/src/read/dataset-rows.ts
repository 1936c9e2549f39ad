import { missingDataset } from '../missing-dataset.ts';
import type { PlainRow } from '../encode/decode-row.ts';
import { datasetPaths, type GroupSpan } from '../dataset-paths.ts';
import { stampText } from '../files/file-stamp.ts';
import { missingFileOnce } from '../files/missing-file.ts';
import type { RowAccess } from '../formats/dataset-format.ts';
import { ChecksumLog, type Checksums, rejectChanged } from '../logs/checksums.ts';
import { type BatchFile, batchFiles, type BatchFolders } from '../formats/batch-files.ts';
import { countFileRows, readerOf } from './file-rows.ts';
import { rejectChangedOnce } from './rows-at.ts';

/** A data file, and the positions of its rows in the table. */
export interface PlacedFile extends BatchFile {
  /** The position of its first row. */
  readonly start: number;
  readonly rows: number;
  /** The rows of each row group in order; undefined where that is not recorded. */
  readonly groups: readonly { readonly group: number; readonly rows: number }[] | undefined;
}

/** A row group and the place of a row within it. */
export interface RowPlace {
  readonly group: number;
  /** From 0, among the rows that the group has. */
  readonly offset: number;
  /** The rows of the group. */
  readonly rows: number;
}

/** Footers of open files may hold so many column chunks together, of about a kilobyte each. */
const MAX_CHUNKS = 30_000;

/** Random access to the rows of a table, also while a run adds files to it or merges them. The lock is ignored. */
export class DatasetRows {
  readonly #folder: string;
  readonly #folders: BatchFolders;
  readonly #open = new Map<string, RowAccess>();
  #known = new Map<string, Omit<PlacedFile, 'start'>>();
  #files: readonly PlacedFile[] = [];
  #version = '';
  #checksums: Checksums | undefined;

  /** `folders` are those of a side table; default: of the main table. */
  constructor(folder: string, folders: BatchFolders = datasetPaths(folder)) {
    this.#folder = folder;
    this.#folders = folders;
  }

  /** Changes with the files; empty before the first `refresh`. */
  get version(): string {
    return this.#version;
  }

  get files(): readonly PlacedFile[] {
    return this.#files;
  }

  /** The number of rows. */
  get total(): number {
    const last = this.#files.at(-1);
    return last ? last.start + last.rows : 0;
  }

  /** Lists the files again, and returns whether they have changed. Throws `dataset/missing` and `dataset/damaged`. */
  async refresh(): Promise<boolean> {
    for (let missing: string | undefined; ;) {
      try {
        return await this.#list();
      } catch (thrown) {
        missing = missingFileOnce(thrown, missing);
      }
    }
  }

  async #list(): Promise<boolean> {
    const files = await batchFiles(this.#folders).catch(() => {
      throw missingDataset(this.#folder);
    });
    const { checksums: log } = datasetPaths(this.#folder);
    const stamp = (await stampText(log)) ?? '';
    const version = `${files.length} ${files.at(-1)?.last ?? 0} ${stamp}`;
    if (version === this.#version && files.every(({ path }) => this.#known.has(path))) return false;
    const checksums = await new ChecksumLog(datasetPaths(this.#folder)).read();
    const known = new Map<string, Omit<PlacedFile, 'start'>>();
    for (const file of files) known.set(file.path, await describe(file, checksums));
    this.#known = known;
    this.#checksums = checksums;
    this.#files = placed([...known.values()]);
    this.#version = version;
    this.#open.clear();
    return true;
  }

  /** The rows at positions, in the order of the positions; undefined for a position without a row. */
  async at(positions: readonly number[], columns?: readonly string[]): Promise<readonly (PlainRow | undefined)[]> {
    for (let missing: string | undefined; ;) {
      try {
        return await this.#read(positions, columns);
      } catch (thrown) {
        missing = missingFileOnce(thrown, missing);
        this.#version = '';
        await this.refresh();
      }
    }
  }

  /** Compares all files with their checksums, for readers of the files themselves. Throws `dataset/damaged`. */
  async rejectChanged(): Promise<void> {
    if (!this.#checksums) return;
    for (const { path } of this.#files) await rejectChangedOnce(path, this.#checksums);
  }

  /** The row group of a position; undefined where that is not recorded. */
  placeOf(position: number): RowPlace | undefined {
    const file = this.#fileAt(position);
    let offset = position - (file?.start ?? 0);
    for (const { group, rows } of file?.groups ?? []) {
      if (offset < rows) return { group, offset, rows };
      offset -= rows;
    }
    return undefined;
  }

  /** The position of the first row of a row group, with the number of its rows; undefined where that is not recorded. */
  groupAt(wanted: number): { readonly start: number; readonly rows: number } | undefined {
    const file = this.#files.find(({ first, last }) => first <= wanted && wanted <= last);
    let start = file?.start ?? 0;
    for (const { group, rows } of file?.groups ?? []) {
      if (group === wanted) return { start, rows };
      start += rows;
    }
    return undefined;
  }

  async #read(positions: readonly number[], columns?: readonly string[]): Promise<readonly (PlainRow | undefined)[]> {
    const found = new Map<number, PlainRow>();
    const sorted = [...new Set(positions)].toSorted((a, b) => a - b);
    for (const [file, inFile] of Map.groupBy(sorted, (position) => this.#fileAt(position))) {
      if (!file) continue;
      const access = await this.#access(file.path);
      const places = inFile.map((position) => position - file.start);
      const rows = await access.at(places, columns);
      for (const [index, position] of inFile.entries()) {
        const row = rows[index];
        if (row) found.set(position, row);
      }
    }
    return positions.map((position) => found.get(position));
  }

  #fileAt(position: number): PlacedFile | undefined {
    let [low, high] = [0, this.#files.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#files[middle]?.start ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    const file = this.#files[low];
    return file && position >= file.start && position < file.start + file.rows ? file : undefined;
  }

  async #access(path: string): Promise<RowAccess> {
    const known = this.#open.get(path);
    this.#open.delete(path);
    const access = known ?? (await this.#openFile(path));
    this.#open.set(path, access);
    if (!known) this.#closeOthers();
    return access;
  }

  /** Opens a file once it was compared with its checksum. */
  async #openFile(path: string): Promise<RowAccess> {
    if (this.#checksums) await rejectChanged(path, this.#checksums);
    return (await readerOf(path)).openRows(path);
  }

  /** Forgets the footers used longest ago while all of them take too much memory. */
  #closeOthers(): void {
    let chunks = 0;
    for (const access of this.#open.values()) chunks += access.chunks;
    for (const [path, access] of this.#open) {
      if (chunks <= MAX_CHUNKS || this.#open.size === 1) return;
      this.#open.delete(path);
      chunks -= access.chunks;
    }
  }
}

async function describe(file: BatchFile, checksums: Checksums): Promise<Omit<PlacedFile, 'start'>> {
  const sum = await checksums.of(file.path).catch(() => undefined);
  const rows = sum?.rows ?? (await countFileRows(file.path));
  return { ...file, rows, groups: groupsOf(file, rows, sum?.groups) };
}

function groupsOf(
  { first, last }: GroupSpan,
  rows: number,
  stored: readonly { readonly group: number; readonly last?: number; readonly rows: number }[] | undefined,
): PlacedFile['groups'] {
  if (first === last) return [{ group: first, rows }];
  return stored?.every((one) => one.last === undefined) ? stored : undefined;
}

function placed(files: readonly Omit<PlacedFile, 'start'>[]): readonly PlacedFile[] {
  let start = 0;
  return files.map((file) => {
    const at = start;
    start += file.rows;
    return { ...file, start: at };
  });
}
