import { readMoment } from '@data-designer/core/read-moment';

/** The earliest and latest of times, as written. */
export interface Span {
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

/** The span of ISO 8601 times; times without a zone are UTC, and other text is skipped. */
export function spanOfTimes(times: Iterable<string | null>): Span {
  let [first, last] = [Infinity, -Infinity];
  let span: Span = { startedAt: null, endedAt: null };
  for (const time of times) {
    const moment = time === null ? undefined : readMoment(time);
    if (moment === undefined) continue;
    if (moment < first) [first, span] = [moment, { ...span, startedAt: time }];
    if (moment > last) [last, span] = [moment, { ...span, endedAt: time }];
  }
  return span;
}
