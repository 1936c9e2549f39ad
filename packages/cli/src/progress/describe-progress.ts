import type { ModelProgress, ProgressSnapshot, RedisAway } from '@data-designer/engine';
import {
  addCosts,
  describeCost,
  describePasses,
  fitText,
  formatCost,
  formatCount,
  formatDuration,
  formatRate,
  formatTimeLeft,
  pluralize,
} from '@data-designer/printing';

/** Columns of a reason for lost rows in a line. */
const MAX_REASON = 200;

/** A run's progress as one line. */
export function describeProgress(snapshot: ProgressSnapshot, { isLast = false } = {}): string {
  const { models, failures } = snapshot;
  const cost = describeCosts(snapshot);
  // The failure that ends the run is printed after the last line.
  const [first] = isLast ? [] : failures;
  return [
    [describeRows(snapshot), describePace(snapshot)].join(', '),
    ...(cost === undefined ? [] : [cost]),
    ...Object.entries(snapshot.attempts ?? {}).map(
      ([block, figures]) => `attempts '${block}': ${describePasses(figures)}`,
    ),
    ...models.map((model) => `${model.model}: ${describeModel(model)}`),
    ...describeMachines(snapshot),
    ...(snapshot.redis ? [describeRedis(snapshot.redis).replace(/\.$/, '')] : []),
    ...describeLostRows(snapshot),
    ...(first ? [`mostly ${first.code}${inColumn(first)}: ${fitText(first.message, MAX_REASON)}`] : []),
  ].join('; ');
}

/** Finished rows, of the rows requested; where columns take time also finished cells. */
export function describeRows(snapshot: ProgressSnapshot): string {
  const { rows, columns, selection } = snapshot;
  const percent = `(${Math.floor(doneShare(snapshot) * 100)}%)`;
  const made = `${formatCount(rows.done)} of ${pluralize(rows.wanted, 'row')}`;
  if (selection) {
    const { candidates, decided } = selection;
    const open = candidates > decided ? `, ${formatCount(candidates - decided)} not decided yet` : '';
    return `${made} accepted ${percent} of ${pluralize(candidates, 'candidate')}${open}`;
  }
  if (columns.length === 0) return `${made} ${percent}`;
  const cells = columns.reduce((sum, { done }) => sum + done, 0);
  return `${made}, ${formatCount(cells)} of ${pluralize(rows.wanted * columns.length, 'cell')} ${percent}`;
}

/** The finished share of a run: of its cells, or of its rows where no column takes time. */
export function doneShare({ rows: { done, wanted }, columns, selection }: ProgressSnapshot): number {
  if (wanted === 0) return 1;
  if (columns.length === 0 || selection) return done / wanted;
  return columns.reduce((sum, column) => sum + column.done, 0) / (wanted * columns.length);
}

/** The rate, and the time left. */
export function describePace({ rows, etaSeconds, etaRange }: ProgressSnapshot): string {
  const left = etaSeconds === null || etaSeconds === 0 ? [] : [`${formatTimeLeft(etaSeconds, etaRange)} left`];
  return [formatRate(rows.perSecond, 'rows'), ...left].join(', ');
}

/** The cost so far with the models without a price, its forecast and the budget; undefined if no price is known. */
export function describeCosts({ cost, usage }: ProgressSnapshot): string | undefined {
  const { soFar, forecast, budget, left } = cost;
  const line = [soFar, forecast, ...(left === null ? [] : [left, budget])];
  const amount = (one: number): string => formatCost(one, line);
  const spent = soFar === null ? partOf(usage, line) : amount(soFar);
  if (spent === undefined) return undefined;
  const parts = [
    `cost ${spent}`,
    ...(forecast === null ? [] : [`about ${amount(forecast)} in all`]),
    ...(budget === null || left === null ? [] : [`${amount(left)} left of ${amount(budget)}`]),
  ];
  return soFar === 0 && budget === null ? undefined : `${parts.join(', ')} (in the currency of your prices)`;
}

/** The known part of a cost; undefined before the first answer with a price. */
function partOf(usage: ProgressSnapshot['usage'], line: readonly (number | null)[]): string | undefined {
  const cost = addCosts(usage);
  return cost.known ? describeCost(cost, line) : undefined;
}

/** The load of a model's endpoint. */
export function describeModel({ inFlight, limit, waiting, pausedMs, rateWait }: ModelProgress): string {
  const parts = [
    `${formatCount(inFlight)} of ${formatCount(limit)} in flight`,
    ...(waiting > 0 ? [`${formatCount(waiting)} waiting${rateWait ? ` for ${rateWait}` : ''}`] : []),
    ...(pausedMs > 0 ? [`paused for ${formatDuration(Math.ceil(pausedMs / 1000))}`] : []),
  ];
  return parts.join(', ');
}

/** The number of machines of a cluster; nothing for a run on one machine. */
function describeMachines({ machines }: Pick<ProgressSnapshot, 'machines'>): string[] {
  if (!machines) return [];
  const lost = machines.filter(({ isLost }) => isLost).length;
  const there = pluralize(machines.length - lost, 'machine');
  return [lost > 0 ? `${there}, ${formatCount(lost)} lost` : there];
}

/** A Redis that does not answer. */
export function describeRedis({ address, seconds, reason }: RedisAway): string {
  return `Redis at ${address} has not answered for ${formatDuration(seconds)} (${reason}); the machines wait for it.`;
}

/** The number of lost rows, if there are any. */
export function describeLostRows({ rows: { lost }, selection }: ProgressSnapshot): string[] {
  if (selection) return lost > 0 ? [`${pluralize(lost, 'candidate')} refused or lost`] : [];
  return lost > 0 ? [`${pluralize(lost, 'row')} lost`] : [];
}

/** The column whose cells failed; empty if the loss has another cause. */
export function inColumn({ column }: { readonly column: string }): string {
  return column === '' ? '' : ` in '${column}'`;
}
