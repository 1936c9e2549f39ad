import { stringifyJson } from '@data-designer/core';
import type { ToolCounts } from '@data-designer/mcp';
import type { ModelUsage } from '@data-designer/models';
import { LineLog, parseLine } from './line-log.ts';

/** What models were asked, by alias. */
export type UsageByAlias = Readonly<Record<string, ModelUsage>>;

/** What models and tools were asked. */
export interface LoggedCounts {
  readonly usage: UsageByAlias;
  /** By provider and tool. */
  readonly tools?: Readonly<Record<string, ToolCounts>>;
  /** Answers that were in the journal and had to be bought again; none where absent. */
  readonly rebought?: number;
}

/** One line of the log: what the rows of a group took, or where the group is null, what is spent and belongs to none. */
interface LoggedUsage extends LoggedCounts {
  readonly group: number | null;
}

/** The row groups of a dataset as a resume finds them. */
export interface FoundGroups {
  /** Their files are there. */
  readonly finished: ReadonlySet<number>;
  /** Their files were there and cannot be read: they are made again, and paid for again. */
  readonly damaged: ReadonlySet<number>;
}

/**
 * What the row groups of a dataset have taken, one JSON object a line. A group's line is written before its commit and
 * counts only with its file: of a group without one the answers stand in its journal, and are counted when it is made.
 */
export class UsageLog {
  readonly #log: LineLog;

  constructor(path: string) {
    this.#log = new LineLog(path);
  }

  /** Adds what a group took, or with null what belongs to none; nothing is written where nothing was asked. */
  async add(group: number | null, { usage, tools = {}, rebought = 0 }: LoggedCounts): Promise<void> {
    if (Object.keys(usage).length + Object.keys(tools).length + rebought === 0) return;
    await this.#log.add([{ group, usage, tools, ...(rebought > 0 ? { rebought } : {}) } satisfies LoggedUsage]);
  }

  /**
   * What counts, before a run goes on: lines of groups that were never committed go, and those of damaged groups stay
   * as what belongs to none, since their journals are gone. To be called before damaged files are set aside.
   */
  async settle(found: FoundGroups): Promise<readonly LoggedCounts[]> {
    let kept: readonly LoggedUsage[] = [];
    await this.#log.rewrite((lines) => {
      kept = counting(lines, found);
      return kept.map((line) => stringifyJson(line));
    });
    return kept;
  }

  /** What these row groups took, each as it was made last; the file stays as it is. */
  async readGroups(groups: ReadonlySet<number>): Promise<readonly LoggedCounts[]> {
    const lines = counting(await this.#log.read(), { finished: groups, damaged: new Set() });
    return [...new Map(lines.flatMap((line) => (line.group === null ? [] : [[line.group, line]]))).values()];
  }

  /** What counts, as `settle` finds it; the file stays as it is. */
  async read(found: FoundGroups): Promise<readonly LoggedCounts[]> {
    return counting(await this.#log.read(), found);
  }
}

function counting(lines: readonly string[], { finished, damaged }: FoundGroups): readonly LoggedUsage[] {
  return lines.flatMap((line) => {
    const read = parseLine(line) as LoggedUsage | undefined;
    // A line that was cut short, or that is another's.
    if (typeof read?.usage !== 'object') return [];
    const { group } = read;
    if (group === null || finished.has(group)) return [read];
    return damaged.has(group) ? [{ ...read, group: null }] : [];
  });
}
