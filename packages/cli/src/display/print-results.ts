import type { RunFindings } from '@data-designer/engine';
import { failedPart, isRefusal, printNames, stringifyJson } from '@data-designer/core';
import type { MadeRecords } from '@data-designer/results';
import {
  addCosts,
  describeAttempts,
  describeCost,
  describeFindings,
  formatCost,
  formatCount,
  pluralize,
} from '@data-designer/printing';

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
): RunFindings &
  Pick<MadeRecords, 'requested' | 'ended' | 'usage' | 'cost' | 'knownCost' | 'unpriced' | 'tools'> &
  ShownAttempts {
  const { requested, ended, findings, usage, cost, knownCost, unpriced, tools } = results;
  return { requested, ended, ...findings, usage, cost, knownCost, unpriced, tools, ...shownAttempts(results) };
}

/** The attempts in JSON output; absent without a block. */
type ShownAttempts = Partial<Pick<MadeRecords, 'attempts'>>;

/** The attempts for JSON output; nothing without a block. */
export function shownAttempts({ attempts }: Pick<MadeRecords, 'attempts'>): ShownAttempts {
  return Object.keys(attempts).length > 0 ? { attempts } : {};
}

/** Prints the figures of the blocks of attempts; each line begins with `source`. */
export function printAttempts({ attempts }: Pick<MadeRecords, 'attempts'>, source = ''): void {
  for (const one of describeAttempts(attempts)) process.stdout.write(`${source}${one}\n`);
}

/** Prints why rows were lost, cells and tool calls failed, and which answers have flaws; each line begins with `source`. */
export function printLosses({ findings }: Pick<MadeRecords, 'findings'>, source = ''): void {
  const { lost, ...others } = findings;
  for (const { rows, column, code, message } of lost) {
    if (isRefusal(code)) {
      process.stdout.write(`${source}${pluralize(rows, 'candidate')} refused: ${message}\n`);
      continue;
    }
    const where = column === '' ? '' : ` in ${failedPart(column, code)}`;
    process.stdout.write(`${source}${pluralize(rows, 'row')} lost${where}: ${message}\n`);
  }
  for (const one of describeFindings(others)) process.stdout.write(`${source}Warning: ${one}\n`);
}

/** Prints the requests, tokens and cost by model alias. */
export function printUsage({ usage }: Pick<MadeRecords, 'usage'>): void {
  for (const line of usageLines(usage)) process.stdout.write(`${line}\n`);
}

/** The requests, tokens and cost by model alias as lines, and the known cost of all with the models without a price. */
export function usageLines(usage: MadeRecords['usage']): readonly string[] {
  const lines = Object.entries(usage).map(([alias, counts]) => {
    const { inputTokens, outputTokens, pictures } = counts;
    const parts = [
      describeRequests(counts),
      `${inputTokens} input tokens`,
      `${outputTokens} output tokens`,
      ...(pictures > 0 ? [`${pictures} images`] : []),
      ...(counts.cost === null ? [] : [`cost ${formatCost(counts.cost)}`]),
    ];
    return `${alias}: ${parts.join(', ')}`;
  });
  const { known, unpriced } = addCosts(usage);
  const isFree = known === 0 && unpriced.length === 0;
  const cost = isFree ? undefined : describeCost({ known, unpriced });
  return [...lines, ...(cost === undefined ? [] : [`Cost: ${cost}`])];
}

/** The requests of an alias, with the reasons for those that are not the first one of a cell. */
function describeRequests({ requests, failedRequests, columns }: MadeRecords['usage'][string]): string {
  const further = FURTHER_REQUESTS.flatMap(([purpose, describe]) => {
    const count = Object.values(columns).reduce((sum, counts) => sum + (counts[purpose]?.requests ?? 0), 0);
    return count > 0 ? [describe(count)] : [];
  });
  const reasons = [...further, ...(failedRequests > 0 ? [`${formatCount(failedRequests)} failed`] : [])];
  return `${requests} requests${reasons.length > 0 ? ` (${reasons.join(', ')})` : ''}`;
}

type Purpose = keyof MadeRecords['usage'][string]['columns'][string];

/** Requests besides the first one of a cell, as the end of a run names them. */
const FURTHER_REQUESTS: readonly (readonly [Purpose, (count: number) => string])[] = [
  ['probe', (count) => pluralize(count, 'health check')],
  ['toolTurn', (count) => `${formatCount(count)} after tool calls`],
  ['correction', (count) => pluralize(count, 'correction')],
  ['restart', (count) => pluralize(count, 'restart')],
];

/** Names rows whose reviews had no effect, on standard error; prints nothing without one. */
export function printStaleReviews(stale: readonly number[]): void {
  if (stale.length === 0) return;
  const [rows, reviews] = stale.length === 1 ? ['Row', 'review'] : ['Rows', 'reviews'];
  process.stderr.write(
    `${rows} ${positions(stale)} (from 0) changed after the review: the ${reviews} had no effect.\n`,
  );
}

/** Names the rows that `--accepted-only` left out although a reviewer edited them. */
export function printUndecided(undecided: readonly number[]): void {
  if (undecided.length === 0) return;
  const [rows, have, them] = undecided.length === 1 ? ['Row', 'has', 'it'] : ['Rows', 'have', 'them'];
  const reason = `${have} edits and no verdict: --accepted-only left ${them} out.`;
  process.stderr.write(`${rows} ${positions(undecided)} (from 0) ${reason}\n`);
}

function positions(rows: readonly number[]): string {
  return printNames(rows, 10);
}
