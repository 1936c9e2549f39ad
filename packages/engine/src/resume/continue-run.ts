import { join } from 'node:path';
import { ROW_ID } from '@data-designer/config';
import { DataDesignerError, type Plan, type RowGroup, rowGroups } from '@data-designer/core';
import { needsGateway } from '@data-designer/gateway';
import {
  type BatchFormat,
  ChecksumLog,
  clearKeptOrphans,
  clearSideOrphans,
  type DatasetFolder,
  FailureLog,
  finishAgain,
  type FileSum,
  finishMerges,
  hasRunRecord,
  keepLostAnswers,
  markedGroups,
  makeSideFolders,
  repairFiles,
  type PartialGroups,
  readJsonFile,
  readPartialGroups,
  readRunRecord,
  RECORD_REMEDY,
  restoreRunRecord,
  type RunRecord,
  setAside,
  sideFolders,
  sideTables,
  UsageLog,
} from '@data-designer/dataset';
import { journaledGroups, folderJournal } from '@data-designer/dataset/journal';
import { droppedTools } from '../connect/list-tools.ts';
import { type CheckedGroups, checkGroups } from './check-groups.ts';
import { continuePlan } from './continue-plan.ts';
import { restoreMarks, withVanished } from './find-lost-groups.ts';
import { restoreUsage } from './restore-usage.ts';
import type { PythonRecord } from './python-folder.ts';
import type { RequestedRunOptions, RunOptions } from '../run-options.ts';
import { RunSummary } from '../run-summary.ts';

/** What an earlier run recorded; without tools if NeMo Data Designer made the dataset. */
export type PriorRecord = RunRecord | PythonRecord;

type PlanOptions = Pick<RequestedRunOptions, 'resume' | 'seed' | 'format' | 'changesSince' | 'onEvent'>;

/** The plan of this run: a new one, or the continuation of the folder's. */
export async function planOf(
  plan: Plan,
  folder: DatasetFolder,
  { resume, seed, format, changesSince, onEvent }: PlanOptions,
): Promise<{ plan: Plan; prior?: PriorRecord }> {
  if (resume === 'never' || (await neverBegan(folder))) return { plan };
  const isOwn = hasRunRecord(folder.paths);
  const restored = isOwn ? await restoreRunRecord(folder.paths) : undefined;
  if (restored) onEvent({ type: 'record-restore', ...restored });
  const python = isOwn ? undefined : await (await import('./python-folder.ts')).continuePython(plan, folder.paths);
  const prior = python ?? (await readRunRecord(folder.paths));
  if (prior.selectedFrom !== undefined) {
    const reason = `its rows were selected from the finished dataset ${prior.selectedFrom}`;
    const remedy = 'Add rows to that dataset, and select again.';
    throw new DataDesignerError('dataset/incompatible', { path: folder.path, reason, remedy });
  }
  if (format !== undefined && prior.format !== format) {
    const reason = `its files are ${prior.format}, not ${format}`;
    const remedy = `Ask for that format (-f ${prior.format}, or format: '${prior.format}').`;
    throw new DataDesignerError('dataset/incompatible', { path: folder.path, reason, remedy });
  }
  const isChanged = plan.identity !== prior.plan.identity;
  // It only explains the refusal: without it the message names no key.
  const written = isChanged ? await readJsonFile(folder.paths.builderConfig).catch(() => undefined) : undefined;
  const changes = written === undefined ? [] : ((await changesSince?.(written)) ?? []);
  const hasAnswers = !python && (await folder.hasAnswers());
  const hasRows = (await folder.batches()).length > 0;
  const before = { path: folder.path, plan: prior.plan, hasAnswers, hasRows, changes };
  return { plan: continuePlan(withPriorRowId(plan, prior.plan), before, seed), prior };
}

/** The plan with the row id that the Python tool stores in some datasets as a dropped column. */
function withPriorRowId(plan: Plan, before: Plan): Plan {
  const id = before.columns.find(({ name }) => name === ROW_ID);
  const stored = before.dropped?.filter(({ name }) => name === ROW_ID) ?? [];
  if (!id || stored.length === 0 || !plan.dropped) return plan;
  const columns = [id, ...plan.columns.filter(({ name }) => name !== ROW_ID)];
  return { ...plan, columns, dropped: [...stored, ...plan.dropped] };
}

/** Whether an earlier run was killed before its first request and left nothing to continue. */
async function neverBegan(folder: DatasetFolder): Promise<boolean> {
  return !hasRunRecord(folder.paths) && (await folder.batches()).length === 0;
}

const NOTHING_FOUND: CheckedGroups = {
  finished: new Set(),
  damaged: new Set(),
  rows: 0,
  left: new Map(),
  unreadable: new Set(),
  damage: undefined,
  files: [],
  lostSides: [],
  lostFiles: [],
};

/** A run whose folder is open. */
interface OpenedRun {
  readonly folder: DatasetFolder;
  readonly summary: RunSummary;
  readonly prior: PriorRecord | undefined;
  readonly options: Pick<RunOptions, 'format' | 'reRequest' | 'retryLost' | 'onEvent' | 'signal' | 'drain'>;
}

/**
 * The row groups to make, with earlier totals added to the summary. Unreadable row groups are made again; throws
 * `dataset/damaged-rows` where that costs money and the run does not allow it, with the folder unchanged.
 */
export async function groupsLeft(
  plan: Plan,
  { folder, summary, prior, options }: OpenedRun,
): Promise<{ left: readonly RowGroup[]; partial: PartialGroups }> {
  const { paths } = folder;
  const tables = sideTables(plan);
  if (prior) for (const table of tables) await finishMerges(sideFolders(paths, table));
  let found = prior ? await checkedOrRestored(plan, folder, options) : NOTHING_FOUND;
  if (found.damaged.size > 0) await tellDamage(plan, found, { folder, options });
  if (prior && options.retryLost === true) found = await withLostRows(plan, found, { folder, options });
  const failures = prior ? await new FailureLog(paths.failures).keepOnly(found.finished) : undefined;
  const { counts, lostFailures } = await new UsageLog(paths.usage).settle(found, failures);
  for (const took of counts) summary.addUsage(took);
  if (lostFailures > 0) options.onEvent({ type: 'failures-lost', path: paths.failures, lines: lostFailures });
  if (!prior) {
    await folder.clearUnfinished();
    await makeSideFolders(paths, tables);
    return { left: [...rowGroups(plan)], partial: new Map() };
  }
  const { finished } = found;
  for (const group of await markedGroups(paths)) await finishAgain(paths, group);
  await settleFiles(folder, found, options.format);
  await folder.clearUnfinished();
  await clearSideOrphans(paths, tables);
  await clearKeptOrphans(paths);
  await makeSideFolders(paths, tables);
  summary.addEarlier(found.rows);
  summary.addDroppedTools(await droppedTools(plan, prior.tools));
  for (const group of await journaledGroups(paths.journals)) {
    // A run that was killed after a commit leaves the group's journal behind.
    if (finished.has(group)) await keepLostAnswers(paths, group, failures?.get(group) ?? []);
  }
  const partial = await readPartialGroups(paths);
  for (const [group, took] of partial) summary.addLeft(group, { ...took, rows: found.left.get(group) ?? 0 });
  // Answers in journals count once their groups are made again.
  const isCounted = partial.size === 0 && (await journaledGroups(paths.journals)).size === 0;
  const { onEvent } = options;
  if (isCounted) await restoreUsage({ paths, metadata: await folder.readMetadata() }, plan, { summary, onEvent });
  return { left: [...rowGroups(plan)].filter(({ index }) => !finished.has(index)), partial };
}

/** The checked row groups, once the groups with lost rows are unfinished again. */
async function withLostRows(
  plan: Plan,
  found: CheckedGroups,
  { folder, options }: Pick<OpenedRun, 'folder' | 'options'>,
): Promise<CheckedGroups> {
  const { retryLostRows } = await import('./retry-lost-rows.ts');
  const retried = await retryLostRows({ plan, folder, found, format: options.format });
  if (retried.rows === 0) return found;
  options.onEvent({ type: 'lost-rows-retry', path: folder.path, ...retried });
  return checkedOrRestored(plan, folder, options);
}

/** The checked row groups, once side tables that follow from the rows are made again. */
async function checkedOrRestored(
  plan: Plan,
  folder: DatasetFolder,
  options: OpenedRun['options'],
): Promise<CheckedGroups> {
  const { signal, drain, onEvent } = options;
  const checksums = await new ChecksumLog(folder.paths).read();
  await restoreMarks(folder, checksums);
  const how = { signal, drain, layout: plan.layout };
  const tables = sideTables(plan);
  const check = async () => withVanished(await checkGroups(folder.paths, tables, how), folder.paths, checksums);
  const found = await check();
  if (found.lostSides.length === 0) return found;
  const { restoreSideTables } = await import('./restore-side-tables.ts');
  const groups = new Map([...rowGroups(plan)].map((group) => [group.index, group]));
  const restored = await restoreSideTables(folder, found.lostSides, {
    plan,
    format: options.format,
    groups,
    files: found.files,
  });
  if (restored.length === 0) return found;
  onEvent({ type: 'side-tables-restore', path: folder.path, files: restored });
  return check();
}

/** Removes damaged row groups from the files and updates the checksums. */
export async function settleFiles(folder: DatasetFolder, found: CheckedGroups, format: BatchFormat): Promise<void> {
  const { paths } = folder;
  const { files, damaged, finished, unreadable } = found;
  for (const { first, path } of await folder.batches()) {
    if (found.left.has(first) && unreadable.has(first)) await setAside(path);
  }
  const log = new ChecksumLog(paths);
  const sums = new Map(files.flatMap(({ path, sum }) => (sum ? [[path, sum] as const] : [])));
  await log.keepOnly(sums, finished);
  const checksums = await log.read();
  const unknown: { path: string; sum: FileSum }[] = [];
  for (const [path, sum] of sums) if (!(await checksums.of(path))) unknown.push({ path, sum });
  await log.add(unknown);
  await repairFiles(paths, files, { format, lost: damaged });
}

/** Reports unreadable rows that are made again; throws where that costs money and the user did not allow it. */
async function tellDamage(
  plan: Plan,
  found: CheckedGroups,
  { folder, options }: Pick<OpenedRun, 'folder' | 'options'>,
): Promise<void> {
  const { path } = folder;
  const files = found.lostFiles;
  if ((await folder.readMetadata())?.post_generation_processed === true) {
    const reason =
      'a processor of stage after_generation has processed its rows together, so that single rows cannot be regenerated';
    const damaged = join(path, files[0] ?? '');
    throw new DataDesignerError('dataset/damaged', { path: damaged, reason, remedy: RECORD_REMEDY });
  }
  const lost = [...rowGroups(plan)].filter(({ index }) => found.damaged.has(index));
  const rows = lost.reduce((sum, group) => sum + group.rows, 0);
  const asked = await groupsToAsk(plan, found, folder);
  const cost = asked.size === 0 ? 0 : await costOf(plan, asked, folder);
  const damage = { path, files, rows, cost };
  if (asked.size > 0 && options.reRequest !== true) throw new DataDesignerError('dataset/damaged-rows', damage);
  options.onEvent({ type: 'rows-damaged', ...damage });
}

/** The damaged row groups that need new requests. */
async function groupsToAsk(
  plan: Plan,
  { damaged }: CheckedGroups,
  { paths }: DatasetFolder,
): Promise<ReadonlySet<number>> {
  if (!plan.columns.some(({ requires }) => needsGateway(requires))) return new Set();
  const asked = new Set(damaged);
  // A run that was killed between commit and cleanup leaves the group's journal, which can be replayed.
  for (const group of await journaledGroups(paths.journals)) {
    if (asked.has(group) && (await folderJournal(paths.journal(group)).read()).entries.length > 0) asked.delete(group);
  }
  return asked;
}

/** The earlier cost of row groups, as an estimate of making them again; null where unknown. */
async function costOf(plan: Plan, groups: ReadonlySet<number>, { paths }: DatasetFolder): Promise<number | null> {
  const summary = new RunSummary();
  const took = await new UsageLog(paths.usage).readGroups(groups);
  for (const counts of took) summary.addUsage(counts);
  return took.length === 0 ? null : summary.costOf(plan);
}
