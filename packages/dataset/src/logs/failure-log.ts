import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type CellFailure, isFields, systemCode } from '@data-designer/core';
import { datasetPaths } from '../dataset-paths.ts';
import { storageFailure } from '../files/storage-failure.ts';
import { LineLog, parseLine } from './line-log.ts';

/** A failed cell of a dataset, with the reason and its conversation. */
export interface LoggedFailure extends CellFailure {
  // The first key of a line: `keepOnly` selects lines by it.
  /** The row group of the cell. */
  readonly group: number;
}

/** The failed cells, one JSON object per line, written before their group's commit and removed when it is made again. */
export class FailureLog {
  readonly #log: LineLog;

  constructor(path: string) {
    this.#log = new LineLog(path);
  }

  /** Adds the failures of a group; writes nothing if there are none. */
  async add(group: number, failures: readonly CellFailure[]): Promise<void> {
    await this.#log.add(failures.map((failure): LoggedFailure => ({ group, ...failure })));
  }

  /** Replaces the failures of groups, after which this may be repeated. */
  async replace(
    groups: ReadonlySet<number>,
    made: readonly { readonly group: number; readonly failures: readonly CellFailure[] }[],
  ): Promise<void> {
    await this.#log.rewrite((lines) => lines.filter((line) => !groups.has(groupOf(line))));
    await this.#log.add(
      made.flatMap(({ group, failures }) => failures.map((failure): LoggedFailure => ({ group, ...failure }))),
    );
  }

  /** Removes the lines of all other groups, which are made again; returns the failures that are left. */
  async keepOnly(finished: ReadonlySet<number>): Promise<readonly Omit<LoggedFailure, 'messages'>[]> {
    let kept: readonly string[] = [];
    await this.#log.rewrite((lines) => (kept = lines.filter((line) => finished.has(groupOf(line)))));
    return kept.flatMap((line) => {
      const failure = parseLine(line);
      if (!isLoggedFailure(failure)) return [];
      const { messages: _, ...cell } = failure;
      return [cell];
    });
  }
}

function groupOf(line: string): number {
  return Number(/^\{"group":(\d+),/.exec(line)?.[1] ?? -1);
}

/** The logged failures of a dataset folder, one line in memory at a time; none if there is no log. Throws `dataset/*`. */
export async function* readFailures(folder: string): AsyncGenerator<LoggedFailure> {
  const path = datasetPaths(folder).failures;
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
  try {
    for await (const line of lines) {
      const failure = parseLine(line);
      if (isLoggedFailure(failure)) yield failure;
    }
  } catch (thrown) {
    if (systemCode(thrown) !== 'ENOENT') throw storageFailure(thrown, path);
  } finally {
    lines.close();
  }
}

function isLoggedFailure(value: unknown): value is LoggedFailure {
  return isFields(value);
}
