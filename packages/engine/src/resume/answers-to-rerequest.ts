import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { DataDesignerError, type FailedCell, type Plan, type Pricing, type VoidAnswers } from '@data-designer/core';
import type { DatasetPaths, FrozenTools } from '@data-designer/dataset';
import { costOfAnswer, pricesOf, DryReplay } from '@data-designer/gateway';
import { journaledGroups, type JournalRecord, folderJournal } from '@data-designer/dataset/journal';
import type { TableFile } from '@data-designer/seeds';
import type { Executor, GroupChannels } from '../executor/executor.ts';
import { journalRecovery } from './group-recovery.ts';
import type { ResumedGroup } from '../row-group/group-context.ts';
import type { RowGroupResult } from '../row-group/row-group-result.ts';

/** What a look at the journals is made with. */
export interface VoidAnswersParts {
  readonly executor: Pick<Executor, 'run'>;
  /** As `GroupChannels` has it. */
  readonly redact: GroupChannels['redact'];
  readonly paths: DatasetPaths;
  readonly tables: readonly TableFile[];
  /** The tools as models were told of them when the journals were written. */
  readonly tools: FrozenTools;
  /** Told what the journal of a group gives by itself; must not throw. */
  readonly onMade: (result: RowGroupResult) => void;
}

/** Answers in journals that no longer fit what is asked, and how many there are by row group. */
export interface FoundVoid extends VoidAnswers {
  readonly byGroup: ReadonlyMap<number, number>;
  /** The groups, with the cells that were found to cost them their worker. */
  readonly groups: readonly ResumedGroup[];
}

/**
 * Finds the answers of unfinished groups that a resume would have to buy again: makes their rows as far as the journals
 * go, on the run's threads, asks nobody and keeps nothing of it.
 */
export async function findAnswersToRerequest(
  plan: Plan,
  groups: readonly ResumedGroup[],
  { executor, redact, paths, tables, tools, onMade }: VoidAnswersParts,
): Promise<FoundVoid> {
  const voided = new Map<number, readonly JournalRecord[]>();
  const channels = new Map<number, DryReplay>();
  const entries = await keptEntries(groups, paths);
  const open = (group: number): MessagePort => {
    const { port1, port2 } = new MessageChannel();
    const channel = new DryReplay(entries.get(group) ?? [], tools);
    channels.set(group, channel);
    channel.attach(port1);
    return port2;
  };
  const begun = groups.filter(({ index }) => entries.has(index));
  const failed = new Map<number, FailedCell[]>();
  const journaled = journalRecovery(paths, tools);
  const failCell = async (group: number, cell: FailedCell): Promise<void> => {
    await journaled.failCell(group, cell);
    failed.set(group, [...(failed.get(group) ?? []), cell]);
  };
  const recovery = { ...journaled, failCell };
  const lookingOnly = { plan, tables, folder: paths.folder, open, destination: nowhere, redact, recovery };
  for await (const result of executor.run(begun, lookingOnly)) {
    const { group, fatal, abandoned } = result;
    if (fatal) throw DataDesignerError.fromWire(fatal);
    // The run makes it, or leaves it too.
    if (abandoned) continue;
    voided.set(group, channels.get(group)?.voided ?? []);
    channels.delete(group);
    entries.delete(group);
    onMade(result);
  }
  const byGroup = countByGroup(voided);
  return { ...count([...voided.values()].flat(), plan), byGroup, groups: withFailedCells(groups, failed) };
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

/** What is made to be looked at alone is not kept. */
function nowhere() {
  return { kind: 'nowhere' } as const;
}

/** The journals in which something stands, by row group. */
async function keptEntries(
  groups: readonly ResumedGroup[],
  paths: DatasetPaths,
): Promise<Map<number, readonly JournalRecord[]>> {
  const journaled = await journaledGroups(paths.journals);
  const kept = new Map<number, readonly JournalRecord[]>();
  for (const { index } of groups) {
    if (!journaled.has(index)) continue;
    const { entries } = await folderJournal(paths.journal(index)).read();
    if (entries.length > 0) kept.set(index, entries);
  }
  return kept;
}

function countByGroup(voided: ReadonlyMap<number, readonly JournalRecord[]>): ReadonlyMap<number, number> {
  return new Map([...voided].flatMap(([group, { length }]) => (length > 0 ? [[group, length]] : [])));
}

function count(voided: readonly JournalRecord[], plan: Plan): VoidAnswers {
  const columns = new Map<string, number>();
  for (const { column } of voided) columns.set(column, (columns.get(column) ?? 0) + 1);
  const listed = Array.from(columns, ([column, answers]) => ({ column, answers }));
  return {
    answers: voided.length,
    cost: costOfVoid(voided, pricesOf(plan)),
    columns: listed.toSorted((a, b) => b.answers - a.answers),
  };
}

/** Tools, downloads and what functions do themselves cost nothing; of a model without a price nothing is known. */
function costOfVoid(
  voided: readonly JournalRecord[],
  prices: Readonly<Record<string, Pricing | undefined>>,
): number | null {
  let cost = 0;
  for (const { path, resource, body } of voided) {
    if (path === 'tools/call' || path === 'download' || path === 'outside') continue;
    const pricing = prices[resource];
    if (!pricing) return null;
    cost += costOfAnswer(body, path, pricing);
  }
  return cost;
}
