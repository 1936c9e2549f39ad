import { dirname } from 'node:path';
import {
  type AttemptsByBlock,
  DataDesignerError,
  joinExhausted,
  type Plan,
  type RowGroup,
  rowGroups,
} from '@data-designer/core';
import {
  askAnew,
  type BatchFormat,
  beginAgain,
  type CheckedBatch,
  ChecksumLog,
  type DatasetFolder,
  type LoggedFailure,
  type LoggedUsage,
  lostRowsOf,
  markPartial,
  partFiles,
  type PartialGroup,
  readFailures,
  readPartialGroups,
  type RunRecord,
  sideTables,
  failedForGood,
  uselessCells,
  UsageLog,
} from '@data-designer/dataset';
import { type CellPlace, folderJournal, journaledGroups, placeKey } from '@data-designer/dataset/journal';
import { needsGateway } from '@data-designer/gateway';
import type { CheckedGroups } from './check-groups.ts';
import { NEW_REMEDY, whyLostRowsStay } from '../lost-rows.ts';
import { usageOf } from './journaled-usage.ts';
import type { PythonRecord } from './python-folder.ts';

/** The lost rows that a run makes again. */
export interface RetriedRows {
  readonly rows: number;
  /** Cells that were made and whose answers were not kept: they are paid for again. */
  readonly boughtAgain: number;
}

/** A dataset whose lost rows are to be made again, under the lock of its folder. */
interface LosingDataset {
  readonly plan: Plan;
  readonly folder: DatasetFolder;
  readonly found: CheckedGroups;
  readonly format: BatchFormat;
}

/** Throws `dataset/lost-rows-stay` for a dataset whose rows cannot be made one by one. */
export async function refuseRetry(
  plan: Plan,
  { folder, prior }: { readonly folder: DatasetFolder; readonly prior: RunRecord | PythonRecord },
): Promise<void> {
  const refuse = (reason: string, remedy: string): never => {
    throw new DataDesignerError('dataset/lost-rows-stay', { path: folder.path, reason, remedy });
  };
  const stay = whyLostRowsStay(plan);
  if (stay) refuse(stay.reason, stay.remedy);
  if (!('tools' in prior) || plan.layout === 'python')
    refuse('NeMo Data Designer began it, and does not record which rows are lost', NEW_REMEDY);
  if ((await folder.readMetadata())?.post_generation_processed === true)
    refuse('a processor of stage after_generation has processed its rows together', NEW_REMEDY);
}

/**
 * Makes the row groups with lost rows unfinished: the run makes their lost rows, and keeps the others. In groups that were
 * unfinished before, the failed cells of lost rows are asked anew.
 */
export async function retryLostRows(dataset: LosingDataset): Promise<RetriedRows> {
  const { plan, folder, found, format } = dataset;
  const { paths } = folder;
  const failures = await failuresOf(folder, found.finished);
  const anew = await askUnfinishedAnew(dataset, failures);
  const groups = new Map([...rowGroups(plan)].map((group) => [group.index, group]));
  const losing = [...failures].filter(([group]) => found.finished.has(group) && groups.has(group));
  const lost = new Map(
    losing.map(([group, own]) => [group, lostRowsOf(own)] as const).filter(([, rows]) => rows.size > 0),
  );
  if (lost.size === 0) return { rows: anew, boughtAgain: 0 };
  const rows = rowsByGroup(found.files.filter(({ path }) => dirname(path) === paths.parquetFiles));
  const usage = new Map(
    (await new UsageLog(paths.usage).read({ finished: new Set(lost.keys()), damaged: new Set() })).flatMap((line) =>
      line.group === null ? [] : [[line.group, line] as const],
    ),
  );
  for (const [group, own] of lost) {
    refuseUnknownRows(folder, groups.get(group), { rows: rows.get(group), lost: own.size, logged: usage.get(group) });
  }
  await partFiles(paths, found.files, { format, groups: new Set(lost.keys()) });
  const checksums = await new ChecksumLog(paths).read();
  const tables = sideTables(plan);
  const keptAnswers = await journaledGroups(paths.lostJournals);
  const gateway = new GatewayCells(plan);
  let boughtAgain = 0;
  for (const [group, own] of lost) {
    const failed = failures.get(group) ?? [];
    if (!keptAnswers.has(group)) boughtAgain += gateway.madeBefore(failed, own);
    const { usage: used = {}, tools = {}, attempts, reRequested } = usage.get(group) ?? {};
    const again = {
      rows: [...own].toSorted((a, b) => a - b),
      kept: rows.get(group) ?? 0,
      failures: failed.filter(({ row }) => !own.has(row)).map(({ group: _, ...failure }) => failure),
      images: checksums.images.get(group) ?? [],
    };
    const counts = {
      cells: {},
      usage: used,
      tools,
      ...(attempts && { attempts: attemptsToKeep(plan, attempts, { failed, again: own }) }),
      ...(reRequested !== undefined && { reRequested }),
    };
    await askAnew(paths.lostJournal(group), cellsOf(plan, uselessCells(failed)));
    await beginAgain(paths, group, { mark: { ...counts, again }, tables, format, checksums });
  }
  return { rows: [...lost.values()].reduce((sum, { size }) => sum + size, anew), boughtAgain };
}

/** The attempts of a group without those at rows whose block is made anew because none was accepted. */
function attemptsToKeep(
  { attempts: blocks = [] }: Plan,
  counts: AttemptsByBlock,
  { failed, again }: { readonly failed: readonly LoggedFailure[]; readonly again: ReadonlySet<number> },
): AttemptsByBlock {
  const kept = blocks.flatMap(({ name, max }) => {
    const own = counts[name];
    if (!own) return [];
    const exhausted = failed.flatMap(({ column, row, exhaustion }) =>
      column === name && exhaustion ? [{ row, ...exhaustion }] : [],
    );
    const anew = exhausted.filter(({ row }) => again.has(row));
    const stay = exhausted.filter(({ row }) => !again.has(row));
    return [
      [
        name,
        {
          ...own,
          rows: own.rows - anew.length,
          // A row without an accepted attempt has had them all.
          attempts: own.attempts - anew.length * max,
          failed: own.failed - anew.reduce((sum, { failedAttempts }) => sum + failedAttempts, 0),
          exhausted: joinExhausted(stay.map(({ failedAttempts: _, ...one }) => ({ ...one, rows: 1 }))),
        },
      ] as const,
    ];
  });
  return Object.fromEntries(kept);
}

/** The failures in the log, by row group. Those of unfinished groups may be gone: a resume removes them. */
async function failuresOf(
  { path }: DatasetFolder,
  complete: ReadonlySet<number>,
): Promise<ReadonlyMap<number, readonly LoggedFailure[]>> {
  const failures = new Map<number, LoggedFailure[]>();
  for await (const failure of readFailures(path, { complete })) {
    const own = failures.get(failure.group);
    if (own) own.push(failure);
    else failures.set(failure.group, [failure]);
  }
  return failures;
}

/** Has the useless answers of lost rows in unfinished groups not count any more; returns the number of rows. */
async function askUnfinishedAnew(
  { plan, folder: { paths }, found }: LosingDataset,
  failures: ReadonlyMap<number, readonly LoggedFailure[]>,
): Promise<number> {
  const marks = await readPartialGroups(paths);
  let rows = 0;
  for (const group of await journaledGroups(paths.journals)) {
    const failed = found.finished.has(group) ? [] : (failures.get(group) ?? []);
    const again = failedForGood(failed);
    if (again.length === 0) continue;
    rows += new Set(again.map(({ row }) => row)).size;
    const cells = cellsOf(plan, uselessCells(failed));
    const keys = new Set(cells.map(placeKey));
    const { entries } = await folderJournal(paths.journal(group)).read();
    const usage = usageOf(
      plan,
      entries.filter((entry) => keys.has(placeKey(entry))),
    );
    await new UsageLog(paths.usage).add(null, { usage });
    await askAnew(paths.journal(group), cells);
    const mark = marks.get(group);
    if (mark) await markPartial(paths, group, withoutFailed(mark, again));
  }
  return rows;
}

/** The cells behind failures: a block of attempts of which none was accepted stands for all its cells. */
function cellsOf({ attempts = [] }: Plan, failed: readonly CellPlace[]): readonly CellPlace[] {
  const blocks = new Map(attempts.map(({ name, columns }) => [name, columns]));
  return failed.flatMap(({ row, column }) => (blocks.get(column) ?? [column]).map((name) => ({ row, column: name })));
}

/** A mark without failed cells that are made anew: these count towards the end of a run again, and the others do not. */
function withoutFailed(mark: PartialGroup, anew: readonly { readonly column: string }[]): PartialGroup {
  const cells = Object.entries(mark.cells).map(([name, counts]) => {
    const again = anew.filter(({ column }) => column === name).length;
    return [name, { ...counts, failed: Math.max(0, counts.failed - again) }] as const;
  });
  return { ...mark, cells: Object.fromEntries(cells) };
}

/** The number of rows that each row group has in its file; groups that a file cannot tell apart are left out. */
function rowsByGroup(files: readonly CheckedBatch[]): ReadonlyMap<number, number> {
  const all = files.flatMap(({ groups }) => groups).filter(({ last }) => last === undefined);
  return new Map(all.map(({ group, rows }) => [group, rows]));
}

/** Throws where the logs do not tell which rows of a group are lost. */
function refuseUnknownRows(
  { path }: DatasetFolder,
  group: RowGroup | undefined,
  {
    rows,
    lost,
    logged,
  }: { readonly rows: number | undefined; readonly lost: number; readonly logged: LoggedUsage | undefined },
): void {
  const missing = group && rows !== undefined ? group.rows - rows : undefined;
  const counted = logged?.lost?.reduce((sum, one) => sum + one.rows, 0);
  if (missing !== undefined && missing === counted && missing >= lost) return;
  const reason = `the logs of row group ${group?.index ?? 0} do not tell which of its rows are lost`;
  throw new DataDesignerError('dataset/lost-rows-stay', { path, reason, remedy: NEW_REMEDY });
}

/** The columns whose cells cost requests. */
class GatewayCells {
  readonly #asking: ReadonlySet<string>;
  readonly #needs: ReadonlyMap<string, ReadonlySet<string>>;

  constructor({ columns, attempts = [] }: Plan) {
    this.#asking = new Set(columns.filter(({ requires }) => needsGateway(requires)).map(({ name }) => name));
    const needs = new Map<string, Set<string>>();
    // Columns are in dependency order.
    for (const column of columns) {
      const own = new Set(column.needs);
      for (const name of column.needs) for (const further of needs.get(name) ?? []) own.add(further);
      needs.set(column.name, own);
    }
    for (const block of attempts) {
      const before = block.columns.map((name) => needs.get(name) ?? new Set<string>());
      const own = new Set(before.flatMap((names) => [...names]));
      needs.set(block.name, own.difference(new Set(block.columns)));
    }
    this.#needs = needs;
  }

  /** The cells that lost rows had before the one that failed. */
  madeBefore(failures: readonly LoggedFailure[], lost: ReadonlySet<number>): number {
    const made = new Set<string>();
    for (const { row, column } of failures) {
      if (!lost.has(row)) continue;
      // A processor sees a row whose cells are all made, and the cells of a block fail together.
      const before =
        column === '' ? this.#asking : (this.#needs.get(column) ?? new Set<string>()).intersection(this.#asking);
      for (const name of before) made.add(placeKey({ row, column: name }));
    }
    for (const failure of failures) made.delete(placeKey(failure));
    return made.size;
  }
}
