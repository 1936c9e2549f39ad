import type { RequestOf } from '../api/requests.ts';
import { failureDamage, readSelection, SelectionLog, UsageLog } from '@data-designer/dataset';
import { lostRowsChoice } from '@data-designer/engine';
import type { FailedCellsPage, FailureList, RefusalsPage } from '../api/failures.ts';
import { failedRequests } from './failed-requests.ts';
import { positionsOf } from './record/plan-rows.ts';
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
  await dataset.failures.refresh();
  const { total, cells } = await dataset.failures.page(wanted, from, count);
  const positions = await positionsOf(
    dataset,
    cells.map(({ row }) => row),
  );
  const context = { priceOf: () => null, mediaOf: () => undefined };
  const note = await lostFailures(dataset);
  return {
    ...(note !== undefined && { note }),
    total,
    from,
    cells: cells.map(({ messages, ...cell }, at) => {
      const page = { ...context, from: Math.max(0, messages.length - LAST_MESSAGES), count: LAST_MESSAGES };
      const shown = tracePage(cell.column, messages, page).messages;
      return { ...cell, index: positions[at] ?? null, messages: shown };
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

/** The refused candidates of a selection, in order. */
export async function refusals({ paths }: ShownDataset, request: RequestOf<'refusals'>): Promise<RefusalsPage> {
  const { from, count, code } = request;
  const decided = [...(await new SelectionLog(paths).read()).values()];
  const refused = decided.flatMap((group) => group.refused).filter((one) => (code ?? one.code) === one.code);
  return {
    total: refused.length,
    from,
    refusals: refused
      .slice(from, from + count)
      .map(({ row, code: why, reason, of = null }) => ({ row, code: why, message: reason, similarTo: of })),
    note: decided.length === 0 ? 'The dataset has no selection, or no candidate is decided yet.' : null,
  };
}
