import type { ModelProgress, ProgressSnapshot } from '@data-designer/engine';
import { fitText } from '../../printing/fit-text.ts';
import { sayCost, sayCount, sayMany, sayRate, saySeconds } from '../../printing/format-numbers.ts';

/** Of a reason for lost rows a line shows so many columns. */
const LONGEST_REASON = 200;

/** How far a run has come, in one line. */
export function sayProgress(snapshot: ProgressSnapshot, { isLast = false } = {}): string {
  const { models, failures } = snapshot;
  const cost = sayCosts(snapshot);
  // At the end whoever started the run is told why it failed, and once is enough.
  const [first] = isLast ? [] : failures;
  return [
    [sayRows(snapshot), sayPace(snapshot)].join(', '),
    ...(cost === undefined ? [] : [cost]),
    ...models.map((model) => `${model.model}: ${sayModel(model)}`),
    ...sayLost(snapshot),
    ...(first ? [`most${sayWhere(first)}: ${fitText(first.message, LONGEST_REASON)}`] : []),
  ].join('; ');
}

/** Rows made of those wanted. */
export function sayRows({ rows: { done, wanted } }: ProgressSnapshot): string {
  const percent = wanted === 0 ? 100 : Math.floor((done / wanted) * 100);
  return `${sayCount(done)} of ${sayMany(wanted, 'row')} (${percent}%)`;
}

/** How fast it goes, and how long it will. */
export function sayPace({ rows, etaSeconds }: ProgressSnapshot): string {
  const left = etaSeconds === null || etaSeconds === 0 ? [] : [`${saySeconds(etaSeconds)} left`];
  return [sayRate(rows.perSecond, 'rows'), ...left].join(', ');
}

/** What was spent, what all of it will come to, and the budget; undefined where no price is known. */
export function sayCosts({ cost: { soFar, forecast, budget, left } }: ProgressSnapshot): string | undefined {
  if (soFar === null) return undefined;
  const parts = [
    `cost ${sayCost(soFar)}`,
    ...(forecast === null ? [] : [`about ${sayCost(forecast)} in all`]),
    ...(budget === null || left === null ? [] : [`${sayCost(left)} left of ${sayCost(budget)}`]),
  ];
  return soFar === 0 && budget === null ? undefined : parts.join(', ');
}

/** How busy a model is. */
export function sayModel({ inFlight, limit, waiting, pausedMs }: ModelProgress): string {
  const parts = [
    `${sayCount(inFlight)} of ${sayCount(limit)} in flight`,
    ...(waiting > 0 ? [`${sayCount(waiting)} waiting`] : []),
    ...(pausedMs > 0 ? [`paused for ${saySeconds(Math.ceil(pausedMs / 1000))}`] : []),
  ];
  return parts.join(', ');
}

/** How many rows are lost, where any are. */
export function sayLost({ rows: { lost } }: ProgressSnapshot): string[] {
  return lost > 0 ? [`${sayMany(lost, 'row')} lost`] : [];
}

/** The column in which rows are lost; nothing where none is to blame. */
export function sayWhere({ column }: { readonly column: string }): string {
  return column === '' ? '' : ` in '${column}'`;
}
