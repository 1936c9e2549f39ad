import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { messageOf } from '@data-designer/core';
import type { DatasetPaths } from '../dataset-paths.ts';
import { readSelection } from '../files/dataset-metadata.ts';
import { ifThere } from '../files/missing-file.ts';
import { checkedRecord } from '../logs/line-log.ts';
import { SelectionLog } from '../logs/selection-log.ts';
import { UsageLog } from '../logs/usage-log.ts';

/** Why the logs of a dataset are damaged, one sentence for each file. Readers leave out damaged lines. */
export async function logDamages(paths: DatasetPaths): Promise<readonly string[]> {
  const checks = [
    [paths.usage, () => lineDamage(paths.usage)],
    [paths.selection, async () => (await lineDamage(paths.selection)) ?? lostDecisions(paths)],
    [paths.failures, () => lostFailures(paths)],
  ] as const;
  const damages = await Promise.all(checks.map(async ([path, find]) => [path, await orReason(find)] as const));
  return damages.flatMap(([path, damage]) => (damage === undefined ? [] : [`${basename(path)}: ${damage}.`]));
}

async function orReason(find: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await find();
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/** A process that was killed may have left a part of the last line. */
async function lineDamage(path: string): Promise<string | undefined> {
  const whole = (await ifThere(readFile(path, 'utf8'), '')).split('\n').slice(0, -1);
  const damaged = whole.filter((line) => line !== '' && checkedRecord(line) === undefined).length;
  return damaged === 0 ? undefined : `${damaged} of its lines are damaged`;
}

/** `metadata.json` is never ahead of the log. */
async function lostDecisions(paths: DatasetPaths): Promise<string | undefined> {
  const recorded = await readSelection(paths.metadata);
  if (!recorded) return undefined;
  const decided = [...(await new SelectionLog(paths).read()).values()];
  const accepted = decided.reduce((sum, group) => sum + group.accepted, 0);
  if (accepted >= recorded.accepted) return undefined;
  return `it has the decisions on ${accepted} accepted rows, but metadata.json counts ${recorded.accepted}`;
}

/** Reads no conversations, so that it misses lines that are gone while others of the file are left. */
async function lostFailures({ usage, failures }: DatasetPaths): Promise<string | undefined> {
  const facts = await ifThere(stat(failures), undefined);
  if (facts && !facts.isFile()) return 'it is no file';
  if (facts && facts.size > 0) return undefined;
  const lines = [...(await new UsageLog(usage).readFailureLines().catch(() => new Map<number, number>())).values()];
  const lost = lines.reduce((sum, count) => sum + count, 0);
  return lost === 0 ? undefined : `its ${lost} lines are missing`;
}
