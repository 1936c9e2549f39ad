import { open, readFile, rename, writeFile } from 'node:fs/promises';
import { stringifyJson } from '@data-designer/core';
import type { CellFailure } from '../row-group/cell-failure.ts';
import { storageFailure } from './storage-failure.ts';

/** One line of the log: the row group that the cell belongs to comes first, so that a line can be told by its beginning. */
interface LoggedFailure extends CellFailure {
  readonly group: number;
}

/**
 * The cells of a dataset that could not be made, one JSON object a line, with the conversations that ended so. A row
 * group's lines are written before its commit; a group that is made again takes its lines out first.
 */
export class FailureLog {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Adds the failures of a group; nothing is written where there are none. */
  async add(group: number, failures: readonly CellFailure[]): Promise<void> {
    if (failures.length === 0) return;
    const lines = failures.map((failure) => `${stringifyJson({ group, ...failure } satisfies LoggedFailure)}\n`);
    try {
      await using file = await open(this.#path, 'a', 0o600);
      await file.writeFile(lines.join(''));
      await file.sync();
    } catch (thrown) {
      throw storageFailure(thrown, this.#path);
    }
  }

  /** Keeps the lines of finished groups alone: the others are made again. */
  async keepOnly(finished: ReadonlyMap<number, unknown>): Promise<void> {
    const text = await readFile(this.#path, 'utf8').catch(() => undefined);
    if (text === undefined) return;
    const kept = text.split('\n').filter((line) => finished.has(groupOf(line)));
    const temporary = `${this.#path}.tmp`;
    await writeFile(temporary, kept.map((line) => `${line}\n`).join(''), { mode: 0o600 });
    await rename(temporary, this.#path);
  }
}

function groupOf(line: string): number {
  return Number(/^\{"group":(\d+),/.exec(line)?.[1] ?? -1);
}
