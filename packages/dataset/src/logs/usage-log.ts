import { type AttemptsByBlock, type CellFailure, isFields, LostRowCount, type LostRows } from '@data-designer/core';
import type { ToolCounts } from '@data-designer/mcp';
import type { ModelUsage } from '@data-designer/models';
import { checkedLine, checkedRecord, LineLog } from './line-log.ts';

/** The usage of models, by alias. */
export type UsageByAlias = Readonly<Record<string, ModelUsage>>;

/** The usage of models and tools, the attempts, and the lost rows. */
export interface LoggedCounts {
  readonly usage: UsageByAlias;
  /** By provider and tool. */
  readonly tools?: Readonly<Record<string, ToolCounts>>;
  /** The attempts at rows, by block; none if absent. */
  readonly attempts?: AttemptsByBlock;
  /** Journaled answers that were re-requested; none if absent. */
  readonly reRequested?: number;
  /** Why rows were lost; none if absent. */
  readonly lost?: readonly LostRows[];
  /** Why cells failed whose rows continued; none if absent. */
  readonly failed?: readonly LostRows[];
}

/** A failed cell without its conversation. */
export type FailedCell = Omit<CellFailure, 'messages'>;

/** The counts of a row group with its failed cells. */
interface MadeCounts extends LoggedCounts {
  readonly failures?: readonly FailedCell[];
  readonly lossOf?: number;
}

/** One line of the log: the usage of a row group, or with a null group, usage that belongs to none. */
export interface LoggedUsage extends LoggedCounts {
  readonly group: number | null;
  /** The row group that lost all its rows although its endpoints answered others; it is made again. */
  readonly lossOf?: number;
  /** The lines that the failure log has of the group; none if absent. */
  readonly failureLines?: number;
}

/** The usage so far, and what was lost of the failure log. */
interface SettledUsage {
  readonly counts: readonly LoggedUsage[];
  /** The lines that the failure log lacks. */
  readonly lostFailures: number;
}

/** The row groups of a dataset at a resume. */
export interface FoundGroups {
  /** Groups with readable files. */
  readonly finished: ReadonlySet<number>;
  /** Groups with unreadable files, which are made and paid for again. */
  readonly damaged: ReadonlySet<number>;
}

/**
 * The usage of a dataset's row groups, one JSON object per line. The line of a group is written before its commit and counts
 * only if its file exists: answers of other groups are in their journals and count when the group is made.
 */
export class UsageLog {
  readonly #log: LineLog;

  constructor(path: string) {
    this.#log = new LineLog(path);
  }

  /** Adds the usage of a group, or with null usage that belongs to none; writes nothing if there is no usage. */
  async add(group: number | null, counts: MadeCounts): Promise<void> {
    await this.#log.add(lineOf(group, counts));
  }

  /** Replaces the usage of groups, after which this may be repeated. */
  async replace(
    groups: ReadonlySet<number>,
    counts: readonly (MadeCounts & { readonly group: number })[],
  ): Promise<void> {
    await this.#log.rewrite((lines) => lines.filter((line) => !groups.has(groupOf(line))));
    await this.#log.add(counts.flatMap((one) => lineOf(one.group, one)));
  }

  /** By row group, in how many runs it lost all its rows although its endpoints answered others. */
  async readLosses(): Promise<ReadonlyMap<number, number>> {
    const losses = new Map<number, number>();
    for (const { lossOf } of counting(await this.#log.read(), { finished: new Set(), damaged: new Set() })) {
      if (lossOf !== undefined) losses.set(lossOf, (losses.get(lossOf) ?? 0) + 1);
    }
    return losses;
  }

  /**
   * Removes lines of uncommitted groups and gives the usage so far; call it before damaged files are set aside. `failures`
   * are those that the failure log has of the finished groups: a group without a line gets one, and each line their number.
   */
  async settle(
    found: FoundGroups,
    failures: ReadonlyMap<number, readonly FailedCell[]> = new Map(),
  ): Promise<SettledUsage> {
    const logged = new Set((await this.read(found)).map(({ group }) => group));
    for (const [group, cells] of failures)
      if (!logged.has(group)) await this.add(group, { usage: {}, failures: cells });
    let counts: readonly LoggedUsage[] = [];
    let lostFailures = 0;
    await this.#log.rewrite((lines) => {
      counts = counting(lines, found);
      return counts.map((line) => {
        const lost = lostOf(line, failures);
        lostFailures += lost;
        return checkedLine(lost > 0 ? { ...line, failureLines: (line.failureLines ?? 0) - lost } : line);
      });
    });
    return { counts, lostFailures };
  }

  /** The number of lines that the failure log has of each row group, as far as the groups are in this log. */
  async readFailureLines(): Promise<ReadonlyMap<number, number>> {
    const lines = (await this.#log.read()).map(checkedRecord).filter(isLoggedUsage);
    return new Map(lines.flatMap(({ group, failureLines = 0 }) => (group === null ? [] : [[group, failureLines]])));
  }

  /** The latest usage of each of these row groups; does not change the file. */
  async readGroups(groups: ReadonlySet<number>): Promise<readonly LoggedCounts[]> {
    const lines = counting(await this.#log.read(), { finished: groups, damaged: new Set() });
    return [...new Map(lines.flatMap((line) => (line.group === null ? [] : [[line.group, line]]))).values()];
  }

  /** The same as `settle`, without changing the file. */
  async read(found: FoundGroups): Promise<readonly LoggedUsage[]> {
    return counting(await this.#log.read(), found);
  }
}

/** The line of a group's usage; none if there is no usage, no attempt, no lost row and no lost group. */
function lineOf(group: number | null, counts: MadeCounts): LoggedUsage[] {
  const { usage, tools = {}, attempts, reRequested = 0, lost = [], failures = [], lossOf } = counts;
  const isEmpty =
    Object.keys(usage).length + Object.keys(tools).length + reRequested + lost.length + failures.length === 0;
  if (isEmpty && !attempts && lossOf === undefined) return [];
  const failed = countFailedCells(failures);
  return [
    {
      group,
      usage,
      tools,
      ...(attempts && { attempts }),
      ...(reRequested > 0 && { reRequested }),
      ...(lost.length > 0 && { lost }),
      ...(failed.length > 0 && { failed }),
      ...(failures.length > 0 && { failureLines: failures.length }),
      ...(lossOf !== undefined && { lossOf }),
    },
  ];
}

/** Why cells failed whose rows continued, the most frequent reason first. */
export function countFailedCells(failures: readonly FailedCell[]): LostRows[] {
  return LostRowCount.join(
    failures.filter(({ onFailure }) => onFailure === 'null').map((one) => ({ ...one, rows: 1 })),
  );
}

/** The lines that the failure log lacks of the group of a line. */
function lostOf(
  { group, failureLines = 0 }: LoggedUsage,
  failures: ReadonlyMap<number, readonly FailedCell[]>,
): number {
  return group === null ? 0 : Math.max(0, failureLines - (failures.get(group)?.length ?? 0));
}

function groupOf(line: string): number {
  return Number(/^\{"group":(\d+),/.exec(line)?.[1] ?? -1);
}

function counting(lines: readonly string[], { finished, damaged }: FoundGroups): readonly LoggedUsage[] {
  return lines.flatMap((line) => {
    const read = checkedRecord(line);
    // Damaged and incomplete lines, and lines of other programs.
    if (!isLoggedUsage(read)) return [];
    const { group } = read;
    if (group === null || finished.has(group)) return [read];
    if (!damaged.has(group)) return [];
    // The rows of a damaged group are made again, so that none of them counts as lost or tried, and no cell as failed.
    const { lost: _lost, failed: _failed, failureLines: _lines, attempts: _attempts, ...paid } = read;
    return [{ ...paid, group: null }];
  });
}

function isLoggedUsage(value: unknown): value is LoggedUsage {
  return isFields(value) && typeof value.usage === 'object';
}
