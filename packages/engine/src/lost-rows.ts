import { isRefusal, type Plan, rowsIn } from '@data-designer/core';
import { failsAgain } from './fails-again.ts';
import { needsGateway } from '@data-designer/gateway';
import { costByColumn } from './progress/cost-forecast.ts';
import type { RunSummary } from './run-summary.ts';

/** The lost rows that can be made again. */
export interface RetriableRows {
  /** How many there are. */
  readonly rows: number;
  /** About what their missing cells will cost, in the currency of the prices; null if unknown. */
  readonly cost: number | null;
}

/** Why the lost rows of a dataset cannot be made again, and what to do instead. */
interface LostForGood {
  readonly reason: string;
  readonly remedy: string;
}

export const NEW_REMEDY = 'Leave out --retry-lost (retryLost), or create a new dataset.';

/** Why rows of a plan cannot be made one by one; undefined where they can. */
export function whyLostRowsStay({ select, columns, processors }: Plan): LostForGood | undefined {
  if (select) {
    const remedy = 'Leave out --retry-lost (retryLost): a resume makes further candidates until there are enough rows.';
    return { reason: 'the dataset has a selection, and further candidates take the place of lost ones', remedy };
  }
  const grouped = columns.find(({ isGrouped }) => isGrouped);
  if (grouped) {
    const reason = `the cells of the column '${grouped.name}' are made for all rows of a row group together`;
    return { reason, remedy: NEW_REMEDY };
  }
  const functional = processors.find(({ process }) => process);
  if (!functional) return undefined;
  const reason = `the function of the processor '${functional.config.name}' receives all rows of a row group`;
  return { reason, remedy: NEW_REMEDY };
}

/**
 * The lost rows that can be made again, and about what that costs: each missing cell as much as one of its column has cost.
 * Undefined where there are none.
 */
export function retriableRows(plan: Plan, summary: RunSummary): RetriableRows | undefined {
  if (whyLostRowsStay(plan)) return undefined;
  const asking = plan.columns.filter(({ requires }) => needsGateway(requires));
  // Processors and local columns fail again for the same cells.
  const lost = summary.lost.filter(
    ({ column, code }) =>
      !failsAgain(code) && membersOf(plan, column).some((member) => asking.some(({ name }) => name === member)),
  );
  const rows = lost.reduce((sum, one) => sum + one.rows, 0);
  if (rows === 0) return undefined;
  const made = summary.rows + summary.lost.reduce((sum, one) => sum + one.rows, 0);
  const costs = costByColumn(summary.pricedUsage(plan));
  const costOfRow = (failed: string): number => {
    const missing = missesWith(plan, failed);
    return asking.reduce((sum, { name }) => sum + (missing.has(name) ? (costs.get(name) ?? 0) / made : 0), 0);
  };
  const cost = lost.reduce((sum, one) => sum + one.rows * costOfRow(one.column), 0);
  return { rows, cost: summary.costOf(plan) === null ? null : cost };
}

/** What a user can do about lost rows. */
export interface LostRowsChoice {
  /** How many rows are lost; refused candidates are none. */
  readonly lost: number;
  /** Those that can be made again; null if none can. */
  readonly retriable: RetriableRows | null;
  /** Why those that cannot be made again stay lost. */
  readonly stay: string;
}

/** The lost rows of a dataset, and whether they can be made again. */
export function lostRowsChoice(plan: Plan, summary: RunSummary): LostRowsChoice {
  return {
    lost: rowsIn(summary.lost.filter(({ code }) => !isRefusal(code))),
    retriable: retriableRows(plan, summary) ?? null,
    stay: whyLostRowsStay(plan)?.reason ?? withSameValues(summary) ?? LOCAL,
  };
}

const LOCAL = 'a processor or a column without a model has failed for them, and fails again for the same cells';

/** Names the columns whose cells fail again with the same values; undefined if there are none. */
function withSameValues({ lost }: RunSummary): string | undefined {
  const columns = [...new Set(lost.flatMap(({ column, code }) => (column !== '' && failsAgain(code) ? [column] : [])))];
  if (columns.length === 0) return undefined;
  const names = columns.map((name) => `'${name}'`).join(', ');
  return `the cells of ${names} fail again with the same values. Correct the config or what they read, and create the dataset under another name`;
}

/** A column; for a block of attempts its columns. */
function membersOf({ attempts = [] }: Plan, failed: string): readonly string[] {
  return attempts.find(({ name }) => name === failed)?.columns ?? [failed];
}

/** A failed column, or those of a failed block, and the columns that wait for its cells. */
function missesWith(plan: Plan, failed: string): ReadonlySet<string> {
  const missing = new Set(membersOf(plan, failed));
  // Columns are in dependency order.
  for (const { name, needs } of plan.columns) if (needs.some((one) => missing.has(one))) missing.add(name);
  return missing;
}
