import { isFields, type LostRows, stringifyJson } from '@data-designer/core';
import type { ToolCounts } from '@data-designer/mcp';
import type { ModelUsage } from '@data-designer/models';
import { checkedRecord, LineLog, parseLine, withCheck } from './line-log.ts';

/** The usage of models, by alias. */
export type UsageByAlias = Readonly<Record<string, ModelUsage>>;

/** The usage of models and tools, and the lost rows. */
export interface LoggedCounts {
  readonly usage: UsageByAlias;
  /** By provider and tool. */
  readonly tools?: Readonly<Record<string, ToolCounts>>;
  /** Journaled answers that were re-requested; none if absent. */
  readonly rebought?: number;
  /** Why rows were lost; none if absent. */
  readonly lost?: readonly LostRows[];
}

/** One line of the log: the usage of a row group, or with a null group, usage that belongs to none. */
export interface LoggedUsage extends LoggedCounts {
  readonly group: number | null;
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
  async add(group: number | null, counts: LoggedCounts): Promise<void> {
    await this.#log.add(lineOf(group, counts).map(withCheck));
  }

  /** Replaces the usage of groups, after which this may be repeated. */
  async replace(
    groups: ReadonlySet<number>,
    counts: readonly (LoggedCounts & { readonly group: number })[],
  ): Promise<void> {
    await this.#log.rewrite((lines) => lines.filter((line) => !groups.has(groupOf(line))));
    await this.#log.add(counts.flatMap((one) => lineOf(one.group, one)).map(withCheck));
  }

  /** Removes lines of uncommitted groups and gives the usage so far; call it before damaged files are set aside. */
  async settle(found: FoundGroups): Promise<readonly LoggedCounts[]> {
    let kept: readonly LoggedUsage[] = [];
    await this.#log.rewrite((lines) => {
      kept = counting(lines, found);
      return kept.map((line) => stringifyJson(withCheck(line)));
    });
    return kept;
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

/** The line of a group's usage; none if there is no usage and no lost row. */
function lineOf(group: number | null, { usage, tools = {}, rebought = 0, lost = [] }: LoggedCounts): LoggedUsage[] {
  if (Object.keys(usage).length + Object.keys(tools).length + rebought + lost.length === 0) return [];
  return [{ group, usage, tools, ...(rebought > 0 && { rebought }), ...(lost.length > 0 && { lost }) }];
}

function groupOf(line: string): number {
  return Number(/^\{"group":(\d+),/.exec(line)?.[1] ?? -1);
}

function counting(lines: readonly string[], { finished, damaged }: FoundGroups): readonly LoggedUsage[] {
  return lines.flatMap((line) => {
    const read = checkedRecord(line) ?? withoutCheck(line);
    // Damaged and incomplete lines, and lines of other programs.
    if (!isLoggedUsage(read)) return [];
    const { group } = read;
    if (group === null || finished.has(group)) return [read];
    // The rows of a damaged group are made again, so that none of them counts as lost.
    return damaged.has(group) ? [{ ...read, group: null, lost: [] }] : [];
  });
}

/** The record of a line that an earlier version wrote. */
function withoutCheck(line: string): unknown {
  const read = parseLine(line);
  return isFields(read) && !('check' in read) ? read : undefined;
}

function isLoggedUsage(value: unknown): value is LoggedUsage {
  return isFields(value) && typeof value.usage === 'object';
}
