import { type FileHandle, open } from 'node:fs/promises';
import zlib from 'node:zlib';
import type { GroupSpan } from '../dataset-paths.ts';
import { stage, type StagedFile } from './commit-file.ts';

/** A range of bytes in a file, without the byte at `to`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** The byte range and checksum of a row group in a file. */
export interface GroupBytes extends ByteRange {
  readonly group: number;
  /** The last of several row groups that share a range; absent for one. */
  readonly last?: number;
  readonly rows: number;
  readonly crc32: number;
}

/** The numbers of row groups in the form of `GroupBytes`. */
export function groupNumbers({ first, last }: GroupSpan): Pick<GroupBytes, 'group' | 'last'> {
  return last > first ? { group: first, last } : { group: first };
}

/** The checksum of a file. */
export interface FileSum {
  readonly bytes: number;
  readonly rows: number;
  /** Of all bytes outside of `groups`. */
  readonly crc32: number;
  /** The row groups of a merged file; absent for a file with one row group. */
  readonly groups?: readonly GroupBytes[];
  /** Whether dataset processors have rewritten the file; kept here because `metadata.json` can be lost. */
  readonly processed?: true;
}

/** A staged file with its checksum. */
export interface SummedFile extends StagedFile {
  readonly sum: FileSum;
}

/** Computes the checksums of a file's ranges and of all other bytes in one pass. */
export class RangeSums {
  readonly #ranges: readonly ByteRange[];
  readonly inside: number[];
  outside = 0;
  bytes = 0;
  #next = 0;

  /** The ranges must be in order and must not overlap. */
  constructor(ranges: readonly ByteRange[] = []) {
    this.#ranges = ranges;
    this.inside = ranges.map(() => 0);
  }

  /** Adds the next bytes of the file. */
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

/** Stages a file and computes the checksum of its content. */
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

/** Files are read in pieces of this size. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** Reads a file in pieces, whose buffer is reused for the next one. */
export async function readPieces(
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

/** The differences between a file and its checksum. */
export interface FileDamage {
  /** Whether the size or bytes outside of the row groups differ. */
  readonly outside: boolean;
  readonly groups: readonly GroupBytes[];
}

/** Reads a file and computes the checksums of its ranges. */
export async function sumFile(
  path: string,
  ranges: readonly ByteRange[] = [],
  signal?: AbortSignal,
): Promise<RangeSums> {
  const sums = new RangeSums(ranges);
  await readPieces(path, (bytes) => sums.add(bytes), { signal });
  return sums;
}

/** Compares computed checksums with the recorded ones. */
export function findDamage(sums: RangeSums, sum: FileSum): FileDamage | undefined {
  const { groups = [] } = sum;
  const outside = sums.outside !== sum.crc32 || sums.bytes !== sum.bytes;
  const damaged = groups.filter((group, index) => sums.inside[index] !== group.crc32);
  return outside || damaged.length > 0 ? { outside, groups: damaged } : undefined;
}
