import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { fieldsOf, messageOf } from '@data-designer/core';
import type { DatasetPaths } from '../dataset-paths.ts';
import { readSelection } from '../files/dataset-metadata.ts';
import { readJsonFile } from '../files/json-file.ts';
import { ifThere } from '../files/missing-file.ts';
import { batchFiles } from '../formats/batch-files.ts';
import { ChecksumLog } from '../logs/checksums.ts';
import { checkedRecord } from '../logs/line-log.ts';
import { type DecidedRows, SelectionLog } from '../logs/selection-log.ts';
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
  if (accepted < recorded.accepted)
    return `it has the decisions on ${accepted} accepted rows, but metadata.json counts ${recorded.accepted}`;
  // A selection that is under way writes the rows first, and a function that processes all rows may change their number.
  const isSettled = recorded.finished_for !== undefined && recorded.source === undefined;
  const { post_generation_processed: isProcessed } = fieldsOf(await readJsonFile(paths.metadata, { exact: false }));
  return isSettled && isProcessed !== true ? otherDecisions(paths, decided) : undefined;
}

/** A file of rows whose number the decisions on its row groups do not give. */
async function otherDecisions(paths: DatasetPaths, decided: readonly DecidedRows[]): Promise<string | undefined> {
  const checksums = await new ChecksumLog(paths).read();
  for (const { path, first, last } of await batchFiles(paths)) {
    const rows = (await checksums.of(path))?.rows;
    const own = decided.filter(({ group }) => group >= first && group <= last);
    const accepted = own.reduce((sum, group) => sum + group.accepted, 0);
    if (rows !== undefined && own.length > 0 && rows !== accepted)
      return `it has ${accepted} accepted rows for ${basename(path)}, which has ${rows}`;
  }
  return undefined;
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
