import type { CellFailure } from '@data-designer/core';
import { LineLog } from './line-log.ts';

/** One line of the log: the row group that the cell belongs to comes first, so that a line can be told by its beginning. */
interface LoggedFailure extends CellFailure {
  readonly group: number;
}

/**
 * The cells of a dataset that could not be made, one JSON object a line, with the conversations that ended so. A row
 * group's lines are written before its commit; a group that is made again takes its lines out first.
 */
export class FailureLog {
  readonly #log: LineLog;

  constructor(path: string) {
    this.#log = new LineLog(path);
  }

  /** Adds the failures of a group; nothing is written where there are none. */
  async add(group: number, failures: readonly CellFailure[]): Promise<void> {
    await this.#log.add(failures.map((failure): LoggedFailure => ({ group, ...failure })));
  }

  /** Keeps the lines of finished groups alone: the others are made again. */
  async keepOnly(finished: ReadonlySet<number>): Promise<void> {
    await this.#log.rewrite((lines) => lines.filter((line) => finished.has(groupOf(line))));
  }
}

function groupOf(line: string): number {
  return Number(/^\{"group":(\d+),/.exec(line)?.[1] ?? -1);
}
