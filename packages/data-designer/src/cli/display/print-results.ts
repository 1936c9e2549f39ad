import { stringifyJson } from '@data-designer/core';
import type { RunSummary } from '@data-designer/engine';
import type { MadeRecords } from '../../records/made-records.ts';
import { sayFlaws } from '../../printing/describe-flaws.ts';
import { sayCost } from '../../printing/format-numbers.ts';

/** Prints one JSON object, and nothing else, on standard output. */
export function printJson(value: unknown): void {
  process.stdout.write(`${stringifyJson(value, 2)}\n`);
}

/** Says on standard error why a run ended before all rows were made, and what to do. */
export function printEnd(ended: MadeRecords['ended'], remedy = ''): void {
  if (ended) process.stderr.write(`${`Warning [${ended.code}]: ${ended.message} ${remedy}`.trimEnd()}\n`);
}

/** Whether every row that was asked for is there. */
export function isWhole({ count, requested, ended }: Pick<MadeRecords, 'count' | 'requested' | 'ended'>): boolean {
  return ended === null && count >= requested;
}

/** Says why rows were lost. */
export function printLost(lost: RunSummary['lost']): void {
  for (const { rows, column, message } of lost) {
    const where = column === '' ? '' : ` in column '${column}'`;
    process.stdout.write(`${rows} ${rows === 1 ? 'row' : 'rows'} lost${where}: ${message}\n`);
  }
}

/** Says which cells rows had to go on without. */
export function printFailedCells(failed: RunSummary['failedCells']): void {
  for (const { cells, column, message } of failed) {
    process.stdout.write(
      `${cells} ${cells === 1 ? 'cell' : 'cells'} of column '${column}' could not be made: ${message}\n`,
    );
  }
}

/** Warns of answers that were taken though something is wrong with them. */
export function printFlaws(flaws: RunSummary['flaws']): void {
  for (const one of flaws) process.stdout.write(`Warning: ${sayFlaws(one)}\n`);
}

/** Says what each model was asked, and what that cost where prices are known. */
export function printUsage(usage: MadeRecords['usage'], cost: number | null): void {
  for (const [alias, counts] of Object.entries(usage)) {
    const { requests, failedRequests, inputTokens, outputTokens, pictures } = counts;
    const parts = [
      `${requests} requests${failedRequests > 0 ? ` (${failedRequests} failed)` : ''}`,
      `${inputTokens} tokens read`,
      `${outputTokens} written`,
      ...(pictures > 0 ? [`${pictures} pictures`] : []),
      ...(counts.cost === null ? [] : [`cost ${sayCost(counts.cost)}`]),
    ];
    process.stdout.write(`${alias}: ${parts.join(', ')}\n`);
  }
  if (cost !== null && cost > 0) process.stdout.write(`Cost: ${sayCost(cost)}\n`);
}
