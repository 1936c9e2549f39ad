import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stringifyJson } from '@data-designer/core';
import { writeDurably } from '../files/commit-file.ts';
import { files } from '../files/files.ts';
import { storageFailure } from '../files/storage-failure.ts';

/** A file of JSON objects, one a line, for the owner alone; lines are added at its end and are on disk once that is done. */
export class LineLog {
  readonly #path: string;
  /** Whether the file's name is on disk, and it ends with a whole line. */
  #isSettled = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Adds lines; nothing is written where there are none. Throws `dataset/disk-full` or `dataset/unwritable`. */
  async add(lines: readonly object[]): Promise<void> {
    if (lines.length === 0) return;
    try {
      const begin = this.#isSettled || (await endsWhole(this.#path)) ? '' : '\n';
      const file = await files().open(this.#path, 'a');
      try {
        await files().write(file, `${begin}${lines.map((line) => `${stringifyJson(line)}\n`).join('')}`);
        await files().sync(file);
      } finally {
        await files().close(file);
      }
      if (!this.#isSettled) await files().syncFolder(dirname(this.#path));
      this.#isSettled = true;
    } catch (thrown) {
      throw storageFailure(thrown, this.#path);
    }
  }

  /** Puts other lines in the place of all; none where there is no file. One that was cut short is given as it stands. */
  async rewrite(change: (lines: readonly string[]) => readonly string[]): Promise<void> {
    const text = await this.#text();
    if (text === undefined) return;
    const kept = change(linesOf(text));
    await writeDurably(this.#path, kept.map((line) => `${line}\n`).join(''));
  }

  /** All lines; none where there is no file. */
  async read(): Promise<readonly string[]> {
    return linesOf((await this.#text()) ?? '');
  }

  #text(): Promise<string | undefined> {
    return readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw storageFailure(error, this.#path);
    });
  }
}

/** Whether a file is not there, empty, or ends with a line end: a line that was cut short takes no other with it. */
async function endsWhole(path: string): Promise<boolean> {
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    if (size === 0) return true;
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer.toString() === '\n';
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw thrown;
  }
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** The object in a line; undefined where that was cut short, as of a group that was not committed. */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
