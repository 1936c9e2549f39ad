import { fieldsOf, isFields, type Plan } from '@data-designer/core';
import { type DatasetFolder, UsageLog } from '@data-designer/dataset';
import { type ModelUsage, noUsage } from '@data-designer/models';
import type { RunSummary } from '../run-summary.ts';
import type { RunEvent } from '../run-event.ts';

/**
 * Counts again the usage that `metadata.json` has and the usage log has lost: a group is in the log before it is in that file.
 * Such usage belongs to no column.
 */
export async function restoreUsage(
  { paths, ...folder }: Pick<DatasetFolder, 'paths'> & { readonly metadata: object | undefined },
  plan: Plan,
  { summary, onEvent }: { readonly summary: RunSummary; readonly onEvent: (event: RunEvent) => void },
): Promise<void> {
  const lost = lostUsage(folder.metadata, plan, summary);
  if (lost.length === 0) return;
  const usage = Object.fromEntries(lost);
  await new UsageLog(paths.usage).add(null, { usage });
  summary.addUsage({ usage });
  const requests = lost.reduce((sum, [, { requests: count }]) => sum + count, 0);
  onEvent({ type: 'usage-restore', path: paths.usage, requests });
}

/** The usage by alias that `metadata.json` has and a summary lacks. */
export function lostUsage(
  metadata: object | undefined,
  plan: Plan,
  summary: RunSummary,
): readonly (readonly [alias: string, usage: ModelUsage])[] {
  const known = summary.pricedUsage(plan);
  const recorded = fieldsOf(fieldsOf(metadata)['usage']);
  return Object.entries(recorded).flatMap(([alias, usage]): [string, ModelUsage][] => {
    const missing = isFields(usage) ? missingFrom(known[alias] ?? noUsage(), usage) : noUsage();
    return Object.values(missing).some((count) => typeof count === 'number' && count > 0) ? [[alias, missing]] : [];
  });
}

function missingFrom(known: object, recorded: object): ModelUsage {
  const missing = noUsage();
  const counts = fieldsOf(missing);
  const keys = Object.keys(missing).filter((key) => typeof counts[key] === 'number');
  const lost = keys.map((key) => [key, Math.max(0, numberIn(recorded, key) - numberIn(known, key))] as const);
  return { ...missing, ...Object.fromEntries(lost) };
}

function numberIn(counts: object, key: string): number {
  return Number(fieldsOf(counts)[key] ?? 0);
}
