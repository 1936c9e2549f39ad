import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type CellFailure, DataDesignerError, isFields, systemCode } from '@data-designer/core';
import { datasetPaths } from '../dataset-paths.ts';
import { storageFailure } from '../files/storage-failure.ts';
import { checkedRecord, LineLog } from './line-log.ts';
import { type FailedCell, UsageLog } from './usage-log.ts';

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

  /** Removes damaged lines, and those of all other groups, which are made again; returns the failures that are left, by group. */
  async keepOnly(finished: ReadonlySet<number>): Promise<ReadonlyMap<number, readonly FailedCell[]>> {
    const kept: (FailedCell & { readonly group: number })[] = [];
    await this.#log.rewrite((lines) =>
      lines.filter((line) => {
        const failure = finished.has(groupOf(line)) ? checkedRecord(line) : undefined;
        if (!isLoggedFailure(failure)) return false;
        const { messages: _, ...cell } = failure;
        kept.push(cell);
        return true;
      }),
    );
    return Map.groupBy(kept, ({ group }) => group);
  }
}

function groupOf(line: string): number {
  return Number(/^\{"group":(\d+),/.exec(line)?.[1] ?? -1);
}

/**
 * The logged failures of a dataset folder, one line in memory at a time; none if there is no log. Throws `dataset/*`, and
 * `dataset/damaged` after the last line if lines are damaged or missing, of all row groups or of the `complete` ones.
 */
export async function* readFailures(
  folder: string,
  { complete }: { readonly complete?: ReadonlySet<number> } = {},
): AsyncGenerator<LoggedFailure> {
  const { failures: path, usage } = datasetPaths(folder);
  const found = new Map<number, number>();
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
  try {
    for await (const line of lines) {
      const failure = checkedRecord(line);
      if (!isLoggedFailure(failure)) continue;
      found.set(failure.group, (found.get(failure.group) ?? 0) + 1);
      yield failure;
    }
  } catch (thrown) {
    if (systemCode(thrown) !== 'ENOENT') throw storageFailure(thrown, path);
  } finally {
    lines.close();
  }
  const reason = failureDamage(await new UsageLog(usage).readFailureLines(), found, complete);
  if (reason === undefined) return;
  const remedy = 'Restore the file from a copy, or resume the dataset (--resume always), which goes on without them.';
  throw new DataDesignerError('dataset/damaged', { path, reason, remedy });
}

/**
 * How the lines of the failure log differ from the numbers in the usage log, by row group; undefined where they do not. Row
 * groups that the usage log lacks are not committed yet.
 */
export function failureDamage(
  logged: ReadonlyMap<number, number>,
  found: ReadonlyMap<number, number>,
  complete?: ReadonlySet<number>,
): string | undefined {
  let [lost, added] = [0, 0];
  for (const [group, lines] of logged) {
    if (complete?.has(group) === false) continue;
    const more = (found.get(group) ?? 0) - lines;
    lost += Math.max(0, -more);
    added += Math.max(0, more);
  }
  if (lost > 0) return `${lost} of its lines are damaged or missing, as usage.jsonl counts them`;
  // Earlier versions counted no lines.
  if (added === 0 || [...logged.values()].every((lines) => lines === 0)) return undefined;
  return `it has ${added} lines more than usage.jsonl counts, so that it is of another dataset`;
}

function isLoggedFailure(value: unknown): value is LoggedFailure {
  return isFields(value) && typeof value.group === 'number';
}
