import type { RequestOf } from '../api/requests.ts';
import {
  DatasetRows,
  failureDamage,
  readSelection,
  refusedFolders,
  SelectionLog,
  UsageLog,
} from '@data-designer/dataset';
import { lostRowsChoice } from '@data-designer/engine';
import type { FailedCellsPage, FailureList, RefusalsPage } from '../api/failures.ts';
import { cutCell, IN_PAGE } from './cut-cell.ts';
import { failedRequests } from './failed-requests.ts';
import { planRowsOf } from './record/plan-rows.ts';
import { tracePage } from './record/messages.ts';
import type { ShownDataset } from './shown-dataset.ts';
import { summaryOf } from './summary-of.ts';

/** Messages shown of the conversation before a failure: its last ones. */
const LAST_MESSAGES = 50;

/** The failed cells by column and code, and the refused candidates by reason. */
export async function failureList(dataset: ShownDataset): Promise<FailureList> {
  const { failures, paths } = dataset;
  await failures.refresh();
  return {
    groups: failures.groups,
    refused: (await readSelection(paths.metadata))?.refused ?? [],
    failedRequests: await failedRequests(dataset),
    lost: await lostRows(dataset),
  };
}

/** The lost rows, and whether another run can make them again. */
async function lostRows(dataset: ShownDataset): Promise<FailureList['lost']> {
  const { state } = await dataset.monitor.figures();
  if (state === 'running') return null;
  const { plan } = await dataset.plan();
  return lostRowsChoice(plan, await summaryOf(dataset));
}

/** A page of failed cells, each with its conversation. */
export async function failedCells(dataset: ShownDataset, request: RequestOf<'failed-cells'>): Promise<FailedCellsPage> {
  const { from, count, dataset: _, ...wanted } = request;
  // It reads the new lines of the log, which the page has too.
  const planRows = await planRowsOf(dataset);
  const { total, cells } = await dataset.failures.page(wanted, from, count);
  const context = { priceOf: () => null, mediaOf: () => undefined };
  const note = await lostFailures(dataset);
  return {
    ...(note !== undefined && { note }),
    total,
    from,
    cells: cells.map(({ messages, ...cell }) => {
      const page = { ...context, from: Math.max(0, messages.length - LAST_MESSAGES), count: LAST_MESSAGES };
      const shown = tracePage(cell.column, messages, page).messages;
      return { ...cell, index: planRows.positionOf(cell.row), messages: shown };
    }),
  };
}

/** Says that the log has other failed cells than the finished row groups. A run may have told of cells that are not logged yet. */
export async function lostFailures(dataset: ShownDataset): Promise<string | undefined> {
  const { state } = await dataset.monitor.figures();
  if (state === 'running') return undefined;
  const { usage } = await dataset.askedPaths();
  const damage = failureDamage(await new UsageLog(usage).readFailureLines(), dataset.failures.cellsByGroup);
  return damage === undefined ? undefined : `failures.jsonl: ${damage}.`;
}

/** The refused candidates of a selection, in order, with their values where they are stored. */
export async function refusals(dataset: ShownDataset, request: RequestOf<'refusals'>): Promise<RefusalsPage> {
  const { from, count, code } = request;
  const decided = [...(await new SelectionLog(dataset.paths).read()).values()];
  const all = decided.flatMap((group) => group.refused).map((refused, order) => ({ ...refused, order }));
  const refused = all.filter((one) => (code ?? one.code) === one.code);
  const page = refused.slice(from, from + count);
  const values = await refusedValues(dataset, page, all.length);
  return {
    total: refused.length,
    from,
    refusals: page.map(({ row, code: why, reason, of = null }, at) => ({
      row,
      code: why,
      message: reason,
      similarTo: of,
      values: values[at] ?? null,
    })),
    note:
      decided.length === 0
        ? 'The dataset has no selection, or no candidate is decided yet.'
        : page.length > 0 && values.every((one) => one === null)
          ? 'The values of refused candidates are not stored. The selection keeps them with keep_rejected: true.'
          : null,
  };
}

type RefusedValues = RefusalsPage['refusals'][number]['values'];

/** The values of refused candidates: of the candidates while they are stored, else of the refused rows (`keep_rejected`). */
async function refusedValues(
  dataset: ShownDataset,
  refused: readonly { readonly row: number; readonly order: number }[],
  total: number,
): Promise<readonly RefusedValues[]> {
  const { folder } = dataset.paths;
  const names = (await dataset.plan()).columns.flatMap(({ name, kind }) => (kind === 'trace' ? [] : [name]));
  const candidates = new DatasetRows((await dataset.askedPaths()).folder);
  const rejected = new DatasetRows(folder, refusedFolders(dataset.paths));
  for (const { rows, positions } of [
    { rows: candidates, positions: refused.map(({ row }) => row) },
    { rows: rejected, positions: refused.map(({ order }) => order) },
  ]) {
    const isThere = await rows.refresh().then(
      () => rows.total > 0,
      () => false,
    );
    // Refused rows that were not stored have no place among those that are.
    if (!isThere || (rows === rejected && rows.total !== total)) continue;
    const found = await rows.at(positions);
    return found
      .map(
        (row) =>
          row && names.flatMap((column) => (column in row ? [{ column, value: cutCell(row[column], IN_PAGE) }] : [])),
      )
      .map((values) => values ?? null);
  }
  return refused.map(() => null);
}
