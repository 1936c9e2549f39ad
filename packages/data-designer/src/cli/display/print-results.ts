import { isRefusal, stringifyJson } from '@data-designer/core';
import type { MadeRecords } from '../../records/made-records.ts';
import { describeFlaws } from '../../printing/describe-flaws.ts';
import { formatCost, pluralize } from '../../printing/format-numbers.ts';

/** Prints one JSON object, and nothing else, on standard output. */
export function printJson(value: unknown): void {
  process.stdout.write(`${stringifyJson(value, 2)}\n`);
}

/** Warns on standard error that a run ended early, and says why and what to do. */
export function printEarlyEnd(ended: MadeRecords['ended'], remedy = ''): void {
  if (ended) process.stderr.write(`${`Warning [${ended.code}]: ${ended.message} ${remedy}`.trimEnd()}\n`);
}

/** Whether all requested rows were made. */
export function isWhole({ count, requested, ended }: Pick<MadeRecords, 'count' | 'requested' | 'ended'>): boolean {
  return ended === null && count >= requested;
}

/** The outcome of a run or a preview for JSON output. */
export function outcomeOf(
  results: MadeRecords,
): Pick<MadeRecords, 'requested' | 'ended' | 'lost' | 'failedCells' | 'flaws' | 'usage' | 'cost' | 'tools'> {
  const { requested, ended, lost, failedCells, flaws, usage, cost, tools } = results;
  return { requested, ended, lost, failedCells, flaws, usage, cost, tools };
}

/** Prints why rows were lost and cells failed, and warns of flawed answers that were used anyway. */
export function printLosses({ lost, failedCells, flaws }: MadeRecords): void {
  for (const { rows, column, code, message } of lost) {
    if (isRefusal(code)) {
      process.stdout.write(`${pluralize(rows, 'candidate')} refused: ${message}\n`);
      continue;
    }
    const where = column === '' ? '' : ` in column '${column}'`;
    process.stdout.write(`${pluralize(rows, 'row')} lost${where}: ${message}\n`);
  }
  for (const { cells, column, message } of failedCells) {
    process.stdout.write(`${pluralize(cells, 'cell')} of column '${column}' failed: ${message}\n`);
  }
  for (const one of flaws) process.stdout.write(`Warning: ${describeFlaws(one)}\n`);
}

/** Prints the requests, tokens and cost by model alias. */
export function printUsage({ usage, cost }: MadeRecords): void {
  for (const [alias, counts] of Object.entries(usage)) {
    const { requests, failedRequests, inputTokens, outputTokens, pictures } = counts;
    const parts = [
      `${requests} requests${failedRequests > 0 ? ` (${failedRequests} failed)` : ''}`,
      `${inputTokens} input tokens`,
      `${outputTokens} output tokens`,
      ...(pictures > 0 ? [`${pictures} images`] : []),
      ...(counts.cost === null ? [] : [`cost ${formatCost(counts.cost)}`]),
    ];
    process.stdout.write(`${alias}: ${parts.join(', ')}\n`);
  }
  if (cost !== null && cost > 0) process.stdout.write(`Cost: ${formatCost(cost)}\n`);
}
