import { MessageChannel, type MessagePort } from 'node:worker_threads';
import {
  DataDesignerError,
  type FailedCell,
  type Plan,
  type Pricing,
  untilStopped,
  type VoidAnswers,
} from '@data-designer/core';
import type { DatasetPaths, FrozenTools } from '@data-designer/dataset';
import { folderJournal, journaledGroups, type JournalRecord } from '@data-designer/dataset/journal';
import { costOfAnswer, pricesOf, serveDryReplay } from '@data-designer/gateway';
import type { TableFile } from '@data-designer/seeds';
import type { Executor, GroupChannels } from '../executor/executor.ts';
import type { ResumedGroup } from '../row-group/group-context.ts';
import type { RowGroupResult } from '../row-group/row-group-result.ts';
import type { RunOptions } from '../run-options.ts';
import { journalRecovery } from './group-recovery.ts';

/** What a dry replay of the journals uses. */
export interface DryReplayParts {
  readonly executor: Pick<Executor, 'run'>;
  readonly redact: GroupChannels['redact'];
  readonly paths: DatasetPaths;
  readonly tables: readonly TableFile[];
  /** The tools as models saw them when the journals were written. */
  readonly tools: FrozenTools;
  /** Receives the rows that a group's journal makes without a request; must not throw. */
  readonly onMade: (result: RowGroupResult) => void;
}

/** Which journaled answers belong to changed requests. */
export interface CheckedAnswers {
  /** The number of these answers by row group. */
  readonly voided: ReadonlyMap<number, number>;
  /** The groups, with the cells that cost them their worker during the replay. */
  readonly groups: readonly ResumedGroup[];
}

/**
 * Checks by a dry replay whether the journaled answers of unfinished groups still belong to the requests of the run.
 * Throws `journal/void` where they do not, unless the run may request them again.
 */
export async function checkJournaledAnswers(
  plan: Plan,
  groups: readonly ResumedGroup[],
  {
    replay,
    options,
  }: {
    readonly replay: DryReplayParts;
    readonly options: Pick<RunOptions, 'reRequest' | 'onEvent' | 'signal' | 'drain'>;
  },
): Promise<CheckedAnswers> {
  const finding = findAnswersToRerequest(plan, groups, replay);
  const { found, ...checked } = await untilStopped(finding, options, () => Promise.resolve());
  if (found.answers === 0) return checked;
  if (!options.reRequest) throw new DataDesignerError('journal/void', { path: replay.paths.folder, ...found });
  options.onEvent({ type: 'journal-void', ...found });
  return checked;
}

/** A dry replay writes no rows. */
function destination() {
  return { kind: 'nowhere' } as const;
}

/** Makes the rows as far as the journals go, on the run's threads; sends no request and writes nothing. */
async function findAnswersToRerequest(
  plan: Plan,
  groups: readonly ResumedGroup[],
  { executor, redact, paths, tables, tools, onMade }: DryReplayParts,
): Promise<CheckedAnswers & { readonly found: VoidAnswers }> {
  const replays = new Map<number, Promise<readonly JournalRecord[]>>();
  const open = (group: number): MessagePort => {
    const { port1, port2 } = new MessageChannel();
    // Read when the group opens, so that memory holds the journals of open groups only.
    const replay = folderJournal(paths.journal(group))
      .read()
      .then(({ entries }) => serveDryReplay(port1, { entries, tools }));
    replay.catch(() => port1.close());
    replays.set(group, replay);
    return port2;
  };
  const failed = new Map<number, FailedCell[]>();
  const journals = journalRecovery(paths, tools);
  const failCell = async (group: number, cell: FailedCell): Promise<void> => {
    await journals.failCell(group, cell);
    failed.set(group, [...(failed.get(group) ?? []), cell]);
  };
  const recovery = { ...journals, failCell };
  const channels = { plan, tables, folder: paths.folder, open, destination, redact, recovery };
  const journaled = await journaledGroups(paths.journals);
  const counts = countVoidAnswers(plan);
  for await (const result of executor.run(
    groups.filter(({ index }) => journaled.has(index)),
    channels,
  )) {
    const { group, fatal, abandoned } = result;
    if (fatal) throw DataDesignerError.fromWire(fatal);
    // The run itself makes the group, or abandons it too.
    if (abandoned) continue;
    counts.add(group, (await replays.get(group)) ?? []);
    replays.delete(group);
    onMade(result);
  }
  return { voided: counts.byGroup, found: counts.total(), groups: withFailedCells(groups, failed) };
}

function withFailedCells(
  groups: readonly ResumedGroup[],
  failed: ReadonlyMap<number, readonly FailedCell[]>,
): readonly ResumedGroup[] {
  return groups.map((group) => {
    const found = failed.get(group.index);
    return found ? { ...group, failedCells: [...(group.failedCells ?? []), ...found] } : group;
  });
}

/** Counts answers to changed requests by row group and column, with their cost. */
function countVoidAnswers(plan: Plan) {
  const prices = pricesOf(plan);
  const byGroup = new Map<number, number>();
  const byColumn = new Map<string, number>();
  /** Null once one has no known price. */
  let cost: number | null = 0;
  return {
    byGroup,
    add: (group: number, answers: readonly JournalRecord[]): void => {
      if (answers.length > 0) byGroup.set(group, answers.length);
      for (const answer of answers) {
        byColumn.set(answer.column, (byColumn.get(answer.column) ?? 0) + 1);
        const more = costOf(answer, prices[answer.resource]);
        cost = cost === null || more === null ? null : cost + more;
      }
    },
    total: (): VoidAnswers => {
      const columns = Array.from(byColumn, ([column, answers]) => ({ column, answers }));
      const answers = columns.reduce((sum, one) => sum + one.answers, 0);
      return { answers, cost, columns: columns.toSorted((a, b) => b.answers - a.answers) };
    },
  };
}

/** Tools, downloads and a function's own work cost nothing; null for a model without a price. */
function costOf({ path, body }: JournalRecord, pricing: Pricing | undefined): number | null {
  if (path === 'tools/call' || path === 'download' || path === 'outcome') return 0;
  return pricing ? costOfAnswer(body, path, pricing) : null;
}
