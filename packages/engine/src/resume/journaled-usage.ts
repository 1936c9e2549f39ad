import type { Plan } from '@data-designer/core';
import { reportedTokens } from '@data-designer/gateway';
import { countRequests, countTokens, type ModelUsage, noUsage, triesOf } from '@data-designer/models';
import { protocolOfPath } from '@data-designer/models/protocols';
import type { DatasetPaths } from '@data-designer/dataset';
import { folderJournal, type JournalRecord } from '@data-designer/dataset/journal';

/** The usage of models in the journals of row groups, by alias; the usage log holds it once a group is committed. */
export async function readJournaledUsage(
  plan: Plan,
  { journal }: Pick<DatasetPaths, 'journal'>,
  groups: Iterable<number>,
): Promise<Readonly<Record<string, ModelUsage>>> {
  const usage: Record<string, ModelUsage> = {};
  for (const group of groups) addJournaled(usage, plan, (await folderJournal(journal(group)).read()).entries);
  return usage;
}

/** The usage of models behind some journaled answers, by alias. */
export function usageOf(plan: Plan, entries: readonly JournalRecord[]): Readonly<Record<string, ModelUsage>> {
  const usage: Record<string, ModelUsage> = {};
  addJournaled(usage, plan, entries);
  return usage;
}

function addJournaled(usage: Record<string, ModelUsage>, plan: Plan, entries: readonly JournalRecord[]): void {
  for (const entry of entries) {
    const alias = aliasOf(plan, entry);
    if (alias !== undefined) count((usage[alias] ??= noUsage()), entry);
  }
}

/** The model alias that a column used; undefined for calls of tools. */
function aliasOf({ columns, models }: Plan, { column, resource }: JournalRecord): string | undefined {
  const aliases = columns.find(({ name }) => name === column)?.requires.models ?? [];
  return aliases.find((alias) => models[alias]?.resource === resource);
}

function count(usage: ModelUsage, entry: JournalRecord): void {
  const isAnswer = entry.status < 300;
  countRequests(usage, triesOf(entry), isAnswer);
  if (!isAnswer) return;
  countTokens(usage, reportedTokens(entry.body), undefined);
  usage.pictures += protocolOfPath(entry.path)?.paths[entry.path]?.countImages(entry.body) ?? 0;
}
