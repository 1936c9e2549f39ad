import { type FileHandle, open, stat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import zlib from 'node:zlib';
import { stage, type StagedFile } from '../files/commit-file.ts';
import { changedFile, orDamaged } from './damaged-file.ts';
import type { DatasetPaths, GroupSpan } from '../dataset-paths.ts';
import { LineLog, parseLine } from '../logs/line-log.ts';

/** A span of bytes in a file: from the first up to, not including, `to`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Row groups of a dataset whose pages stand together in a file. */
export interface GroupBytes extends ByteRange {
  readonly group: number;
  /** The last of several row groups whose pages cannot be told apart; absent for one. */
  readonly last?: number;
  readonly rows: number;
  readonly crc32: number;
}

/** Row groups that cannot be told apart, as `GroupBytes` names them. */
export function groupsAsOne({ first, last }: GroupSpan): Pick<GroupBytes, 'group' | 'last'> {
  return last > first ? { group: first, last } : { group: first };
}

/** The checksum of a file while it has no name yet. */
export interface FileSum {
  readonly bytes: number;
  readonly rows: number;
  /** Of all bytes that are in none of `groups`. */
  readonly crc32: number;
  /** The row groups of a merged file; absent in the file of one row group. */
  readonly groups?: readonly GroupBytes[];
  /** Whether processors have changed the dataset as a whole: `metadata.json` says so too, and can be lost. */
  readonly processed?: true;
}

/** One line of the log. */
export interface FileChecksum extends FileSum {
  /** Relative to the dataset's folder, with `/`. */
  readonly file: string;
}

/** A staged file with its checksum. */
export interface SummedFile extends StagedFile {
  readonly sum: FileSum;
}

/** The checksums of a file's ranges and of the bytes outside of them, computed in one pass over the file. */
export class RangeSums {
  readonly #ranges: readonly ByteRange[];
  readonly inside: number[];
  outside = 0;
  bytes = 0;
  #next = 0;

  /** Ranges are in order and do not overlap. */
  constructor(ranges: readonly ByteRange[] = []) {
    this.#ranges = ranges;
    this.inside = ranges.map(() => 0);
  }

  /** Adds the bytes that follow those added before. */
  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const { from, to } = this.#ranges[this.#next] ?? { from: Infinity, to: Infinity };
      if (this.bytes >= to) {
        this.#next++;
        continue;
      }
      const isInside = this.bytes >= from;
      const piece = bytes.subarray(at, at + (isInside ? to : from) - this.bytes);
      if (isInside) this.inside[this.#next] = zlib.crc32(piece, this.inside[this.#next]);
      else this.outside = zlib.crc32(piece, this.outside);
      at += piece.length;
      this.bytes += piece.length;
    }
  }
}

/** `stage`, and the checksum of what was meant to be written. */
export async function stageSummed(
  path: string,
  content: (append: (bytes: Uint8Array) => void) => void | Promise<void>,
  { rows, ...options }: { readonly rows: number; readonly temporary?: string },
): Promise<SummedFile> {
  const sums = new RangeSums();
  const staged = await stage(
    path,
    (append) =>
      content((bytes) => {
        sums.add(bytes);
        append(bytes);
      }),
    options,
  );
  return { ...staged, sum: { bytes: sums.bytes, rows, crc32: sums.outside } };
}

/** Pieces in which files are read. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** Hands on a file from its beginning to its end, in pieces that hold until the next one. */
export async function eachPiece(
  path: string,
  take: (bytes: Uint8Array) => void,
  { signal, piece }: { readonly signal?: AbortSignal | undefined; readonly piece?: Buffer } = {},
): Promise<void> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  const buffer = piece ?? Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(size, 1)));
  for (let read = await next(file, buffer); read > 0; read = await next(file, buffer)) {
    signal?.throwIfAborted();
    take(buffer.subarray(0, read));
  }
}

async function next(file: FileHandle, buffer: Buffer): Promise<number> {
  return (await file.read(buffer, 0, buffer.length)).bytesRead;
}

/** What of a file is not as its checksum says. */
export interface FoundDamage {
  /** Bytes outside of the row groups, or the size. */
  readonly outside: boolean;
  readonly groups: readonly GroupBytes[];
}

/** The sums of a file's ranges, read once. */
export async function sumFile(
  path: string,
  ranges: readonly ByteRange[] = [],
  signal?: AbortSignal,
): Promise<RangeSums> {
  const sums = new RangeSums(ranges);
  await eachPiece(path, (bytes) => sums.add(bytes), { signal });
  return sums;
}

/** A file as its checksum finds it. */
interface CheckedFile {
  readonly sum: FileSum;
  readonly damage: FoundDamage | undefined;
}

/** Compares sums with those that were written down. */
export function damageIn(sums: RangeSums, sum: FileSum): FoundDamage | undefined {
  const { groups = [] } = sum;
  const outside = sums.outside !== sum.crc32 || sums.bytes !== sum.bytes;
  const damaged = groups.filter((group, index) => sums.inside[index] !== group.crc32);
  return outside || damaged.length > 0 ? { outside, groups: damaged } : undefined;
}

/** The checksums of a dataset's files by their names; a name that was used again has several, the last one first. */
export class Checksums {
  readonly #byFile = new Map<string, FileChecksum[]>();
  readonly #nameOf: (path: string) => string;

  /** Reads the checksums anew. */
  readonly again: () => Promise<Checksums>;

  constructor(
    records: readonly FileChecksum[],
    { nameOf, again }: { readonly nameOf: (path: string) => string; readonly again: () => Promise<Checksums> },
  ) {
    this.#nameOf = nameOf;
    this.again = again;
    for (const record of records) this.#byFile.set(record.file, [record, ...(this.#byFile.get(record.file) ?? [])]);
  }

  /** The checksum of a file, by its size where its name has several; undefined for a file without one. */
  async of(path: string): Promise<FileSum | undefined> {
    const records = this.#recordsOf(path);
    if (records.length === 0) return undefined;
    const { size } = await stat(path);
    return records.find(({ bytes }) => bytes === size) ?? records[0];
  }

  /**
   * Reads a file once for each checksum that fits its size: the checksum that it agrees with, or the last one with what
   * does not agree; undefined for a file without a checksum.
   */
  async check(path: string, signal?: AbortSignal): Promise<CheckedFile | undefined> {
    const records = this.#recordsOf(path);
    const [latest] = records;
    if (!latest) return undefined;
    const { size } = await stat(path);
    const fitting = records.filter(({ bytes }) => bytes === size);
    let found: CheckedFile | undefined;
    for (const sum of fitting.length > 0 ? fitting : [latest]) {
      const damage = damageIn(await sumFile(path, sum.groups, signal), sum);
      if (!damage) return { sum, damage };
      found ??= { sum, damage };
    }
    return found;
  }

  #recordsOf(path: string): readonly FileChecksum[] {
    return this.#byFile.get(this.#nameOf(path)) ?? [];
  }
}

/** Compares a file with its checksum before it is read: `dataset/damaged` where its bytes have changed. */
export async function refuseChanged(path: string, checksums: Checksums): Promise<void> {
  await orDamaged(path, async () => {
    if (!(await checksums.check(path))?.damage) return;
    // A run may have written the file anew after the checksums were read.
    if ((await (await checksums.again()).check(path))?.damage) throw changedFile(path);
  });
}

/**
 * The checksums of a dataset's files, one JSON object a line. The line of a file is on disk before the file has its name, so
 * that a file of this version always has one; a line without its file counts for nothing.
 */
export class ChecksumLog {
  readonly #log: LineLog;
  readonly #folder: string;

  constructor({ folder, checksums }: Pick<DatasetPaths, 'folder' | 'checksums'>) {
    this.#folder = folder;
    this.#log = new LineLog(checksums);
  }

  /** Adds the checksums of files that are about to have their names. */
  async add(files: readonly { readonly path: string; readonly sum: FileSum }[]): Promise<void> {
    const records = files.map(({ path, sum }): FileChecksum => ({ file: this.#nameOf(path), ...sum }));
    await this.#log.add(records.map((record) => ({ ...record, check: checkOf(record) })));
  }

  async read(): Promise<Checksums> {
    const records = (await this.#log.read()).flatMap((line) => recordIn(line) ?? []);
    return new Checksums(records, { nameOf: (path) => this.#nameOf(path), again: () => this.read() });
  }

  /** Keeps the checksums of these files alone; nothing is written where there are no others. */
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

/** The checksum of a line itself: a line that rots must not make a good file look damaged. */
function checkOf(record: FileChecksum): number {
  return zlib.crc32(JSON.stringify(record));
}

function recordIn(line: string): FileChecksum | undefined {
  const { check, ...record } = (parseLine(line) ?? {}) as FileChecksum & { readonly check?: number };
  return check === checkOf(record) ? record : undefined;
}
