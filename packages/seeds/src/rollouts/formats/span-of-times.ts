const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d+))?\s?(Z|[+-]\d\d:?\d\d)?)?$/i;

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
    const moment = time === null ? undefined : microsecondsOf(time);
    if (moment === undefined) continue;
    if (moment < first) [first, span] = [moment, { ...span, startedAt: time }];
    if (moment > last) [last, span] = [moment, { ...span, endedAt: time }];
  }
  return span;
}

/** Microseconds since 1970. */
function microsecondsOf(time: string): number | undefined {
  const [, date, clock = '00:00', fraction = '', zone = 'Z'] = TIME.exec(time) ?? [];
  if (date === undefined) return undefined;
  const milliseconds = Date.parse(`${date}T${clock}${zone.toUpperCase()}`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
}
