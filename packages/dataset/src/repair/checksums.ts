import { stat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import zlib from 'node:zlib';
import { fieldsOf } from '@data-designer/core';
import type { DatasetPaths } from '../dataset-paths.ts';
import { LineLog, parseLine } from '../logs/line-log.ts';
import { changedFile, orDamaged } from './damaged-file.ts';
import { type FileDamage, type FileSum, findDamage, sumFile } from './file-sum.ts';

/** One line of the checksum log. */
export interface FileChecksum extends FileSum {
  /** Relative to the dataset's folder, with `/`. */
  readonly file: string;
}

/** The checksum of a file, and how the file differs from it. */
interface CheckedFile {
  readonly sum: FileSum;
  readonly damage: FileDamage | undefined;
}

/** The checksums of a dataset's files by name; a name that was reused has several, the latest first. */
export class Checksums {
  readonly #byFile = new Map<string, FileChecksum[]>();
  readonly #nameOf: (path: string) => string;

  /** Reads the checksums again. */
  readonly reload: () => Promise<Checksums>;

  constructor(
    records: readonly FileChecksum[],
    { nameOf, reload }: { readonly nameOf: (path: string) => string; readonly reload: () => Promise<Checksums> },
  ) {
    this.#nameOf = nameOf;
    this.reload = reload;
    for (const record of records) this.#byFile.set(record.file, [record, ...(this.#byFile.get(record.file) ?? [])]);
  }

  /** The checksum of a file, the one with its size if there are several; undefined if there is none. */
  async of(path: string): Promise<FileSum | undefined> {
    const records = this.#recordsOf(path);
    if (records.length === 0) return undefined;
    const { size } = await stat(path);
    return records.find(({ bytes }) => bytes === size) ?? records[0];
  }

  /** The checksum that a file matches, or the latest with the differences; undefined for a file without a checksum. */
  async check(path: string, signal?: AbortSignal): Promise<CheckedFile | undefined> {
    const records = this.#recordsOf(path);
    const [latest] = records;
    if (!latest) return undefined;
    const { size } = await stat(path);
    const candidates = records.filter(({ bytes }) => bytes === size);
    let found: CheckedFile | undefined;
    for (const sum of candidates.length > 0 ? candidates : [latest]) {
      const damage = findDamage(await sumFile(path, sum.groups, signal), sum);
      if (!damage) return { sum, damage };
      found ??= { sum, damage };
    }
    return found;
  }

  #recordsOf(path: string): readonly FileChecksum[] {
    return this.#byFile.get(this.#nameOf(path)) ?? [];
  }
}

/** Throws `dataset/damaged` if a file differs from its checksum. */
export async function rejectChanged(path: string, checksums: Checksums): Promise<void> {
  await orDamaged(path, async () => {
    if (!(await checksums.check(path))?.damage) return;
    // A run may have rewritten the file since the checksums were read.
    if ((await (await checksums.reload()).check(path))?.damage) throw changedFile(path);
  });
}

/** The checksums of files, one JSON object per line, synced before a file gets its final name; others are ignored. */
export class ChecksumLog {
  readonly #log: LineLog;
  readonly #folder: string;

  constructor({ folder, checksums }: Pick<DatasetPaths, 'folder' | 'checksums'>) {
    this.#folder = folder;
    this.#log = new LineLog(checksums);
  }

  /** Adds the checksums of files before they are committed. */
  async add(files: readonly { readonly path: string; readonly sum: FileSum }[]): Promise<void> {
    const records = files.map(({ path, sum }): FileChecksum => ({ file: this.#nameOf(path), ...sum }));
    await this.#log.add(records.map((record) => ({ ...record, check: checkOf(record) })));
  }

  async read(): Promise<Checksums> {
    const records = (await this.#log.read()).flatMap((line) => recordIn(line) ?? []);
    return new Checksums(records, { nameOf: (path) => this.#nameOf(path), reload: () => this.read() });
  }

  /** Removes the checksums of all other files; writes nothing if there are none. */
  async keepOnly(sums: ReadonlyMap<string, FileSum>): Promise<void> {
    const wanted = new Map(Array.from(sums, ([path, sum]) => [this.#nameOf(path), sum]));
    const isKept = (line: string) => {
      const record = recordIn(line);
      const sum = record && wanted.get(record.file);
      return sum?.crc32 === record?.crc32 && sum?.bytes === record?.bytes && sum !== undefined;
    };
    if (!(await this.#log.read()).every(isKept)) await this.#log.rewrite((lines) => lines.filter(isKept));
  }

  #nameOf(path: string): string {
    return relative(this.#folder, path).split(sep).join('/');
  }
}

/** The checksum of a line itself: a damaged line must not make an intact file look damaged. */
function checkOf(record: object): number {
  return zlib.crc32(JSON.stringify(record));
}

function recordIn(line: string): FileChecksum | undefined {
  const { check, ...record } = fieldsOf(parseLine(line));
  return isFileChecksum(record) && check === checkOf(record) ? record : undefined;
}

function isFileChecksum(record: object): record is FileChecksum {
  return 'file' in record && 'bytes' in record && 'crc32' in record;
}
