import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import zlib from 'node:zlib';
import { fieldsOf, refuseAddress, stringifyJson, systemCode } from '@data-designer/core';
import { writeDurably } from '../files/commit-file.ts';
import { files } from '../files/files.ts';
import { ifThere } from '../files/missing-file.ts';
import { orStorageFailure, storageFailure } from '../files/storage-failure.ts';

/** A private file with one JSON object per line, each with a checksum of its text as the last key. */
export class LineLog {
  readonly #path: string;
  /** Whether the file's name is synced and its last line is complete. */
  #isSettled = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Appends lines and syncs them; writes nothing if there are none. Throws `dataset/disk-full` or `dataset/unwritable`. */
  async add(lines: readonly object[]): Promise<void> {
    if (lines.length === 0) return;
    await orStorageFailure(this.#path, async () => {
      const begin = this.#isSettled || (await endsWithLine(this.#path)) ? '' : '\n';
      const file = await files().open(this.#path, 'a');
      try {
        await files().write(file, `${begin}${lines.map((line) => `${checkedLine(line)}\n`).join('')}`);
        await files().sync(file);
      } finally {
        await files().close(file);
      }
      if (!this.#isSettled) await files().syncFolder(dirname(this.#path));
      this.#isSettled = true;
    });
  }

  /** Replaces all lines, an incomplete last one included; does nothing if there is no file. */
  async rewrite(change: (lines: readonly string[]) => readonly string[]): Promise<void> {
    const text = await this.#text();
    if (text === undefined) return;
    const kept = change(linesOf(text));
    await writeDurably(this.#path, kept.map((line) => `${line}\n`).join(''));
  }

  /** All lines; none if there is no file. */
  async read(): Promise<readonly string[]> {
    return linesOf((await this.#text()) ?? '');
  }

  #text(): Promise<string | undefined> {
    return orStorageFailure(this.#path, () => ifThere(readFile(this.#path, 'utf8'), undefined));
  }
}

/**
 * A private file that is open while lines are appended, without syncing them: for logs of a run that no resume reads. Whole
 * lines are written at once, so that a killed process leaves whole lines.
 */
export class OpenLineLog implements Disposable {
  readonly path: string;
  #file: number | undefined;

  private constructor(path: string, file: number) {
    this.path = path;
    this.#file = file;
  }

  /** Opens the file or makes it, and ends an incomplete last line. Throws `dataset/disk-full` or `dataset/unwritable`. */
  static async open(path: string): Promise<OpenLineLog> {
    refuseAddress(path);
    return orStorageFailure(path, async () => {
      const isWhole = await endsWithLine(path);
      const log = new OpenLineLog(path, files().openSync(path, 'a'));
      if (!isWhole) log.#write('\n');
      return log;
    });
  }

  /** Appends lines. After a failure the log stays closed, and takes nothing more; throws as `open` does, once. */
  add(lines: readonly object[]): void {
    if (this.#file === undefined || lines.length === 0) return;
    try {
      this.#write(lines.map((line) => `${stringifyJson(line)}\n`).join(''));
    } catch (thrown) {
      this[Symbol.dispose]();
      throw storageFailure(thrown, this.path);
    }
  }

  [Symbol.dispose](): void {
    if (this.#file === undefined) return;
    files().closeSync(this.#file);
    this.#file = undefined;
  }

  #write(text: string): void {
    if (this.#file === undefined) return;
    let left: Uint8Array = Buffer.from(text);
    while (left.length > 0) left = left.subarray(files().writeSync(this.#file, left));
  }
}

/** Whether a file is missing, empty, or ends with a line break; else its incomplete last line must be ended first. */
async function endsWithLine(path: string): Promise<boolean> {
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    if (size === 0) return true;
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer.toString() === '\n';
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return true;
    throw thrown;
  }
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** The JSON text of a record with its checksum: a damaged line must not count. */
export function checkedLine(record: object): string {
  const text = stringifyJson(record);
  return `${text.slice(0, -1)},"check":${zlib.crc32(text)}}`;
}

const CHECK = /,"check":(\d+)\}$/;

/** The JSON text of the record of a line that is as `checkedLine` made it. */
export function checkedText(line: string): string | undefined {
  const found = CHECK.exec(line);
  if (!found) return undefined;
  const text = `${line.slice(0, found.index)}}`;
  return zlib.crc32(text) === Number(found[1]) ? text : undefined;
}

/** The record of a line that is as `checkedLine` made it. */
export function checkedRecord(line: string): object | undefined {
  const text = checkedText(line);
  return text === undefined ? undefined : fieldsOf(parseLine(text));
}

/** The parsed value of a line; undefined for an incomplete line. */
export function parseLine(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return value;
  } catch {
    return undefined;
  }
}
