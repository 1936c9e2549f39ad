import { type CallOutcome, refusalText } from '@data-designer/core';
import { msOfRetryAfter, msOfWait } from '@data-designer/core/retry-after';

/** Headers of a refusal that say when to come back, and what is left until then. */
export const RETRY_HEADERS = [
  'retry-after-ms',
  'retry-after',
  ...['', '-requests', '-tokens'].flatMap((kind) => [`x-ratelimit-remaining${kind}`, `x-ratelimit-reset${kind}`]),
] as const;

/**
 * How many ms an endpoint wants not to be asked again, at the time `now` (ms since 1970): by its `retry-after-ms` or
 * `retry-after`, else, for a 429, by its message or by an exhausted limit; undefined if it says none.
 */
export function retryAfterOf({ status, headers, body }: CallOutcome, now: number): number | undefined {
  const own = readMs(headers['retry-after-ms']) ?? readRetryAfter(headers['retry-after'], now);
  if (own !== undefined || status !== 429) return own;
  return inWords(body) ?? untilReset(headers, now);
}

/** A longer wait is none that an endpoint means: a quota may be spent for a month. */
const LONGEST_WAIT_MS = 31 * 86_400_000;

/** What `retryAfterOf` reads, unless it is longer than an endpoint can mean. */
export function meantWaitOf(outcome: CallOutcome, now: number): number | undefined {
  const asked = retryAfterOf(outcome, now);
  return asked !== undefined && asked > LONGEST_WAIT_MS ? undefined : asked;
}

function readMs(header: string | undefined): number | undefined {
  return header === undefined ? undefined : positive(Number(header));
}

/** As Google tells it, and others in a sentence. */
const DELAY_FIELD = /"retryDelay"\s*:\s*"([\d.]+)s"/;
const DELAY_WORDS = /(?:retry|try again) (?:in|after) ((?:[\d.]+(?:h|ms|m|s))+|[\d.]+(?= ?seconds?\b))/i;

function inWords(body: string): number | undefined {
  const words = refusalText(body);
  if (words === '') return undefined;
  const told = DELAY_FIELD.exec(body)?.[1] ?? DELAY_WORDS.exec(words)?.[1];
  return told === undefined ? undefined : readDuration(told);
}

const UNITS = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

/** Reads `1h2m3.5s`, `250ms` or seconds without a unit. */
function readDuration(text: string): number | undefined {
  if (/^[\d.]+$/.test(text)) return positive(Number(text) * 1000);
  if (!/^(?:[\d.]+(?:h|ms|m|s))+$/.test(text)) return undefined;
  let ms = 0;
  for (const [, number, unit] of text.matchAll(/([\d.]+)(h|ms|m|s)/g)) ms += Number(number) * UNITS[unit as 's'];
  return positive(ms);
}

/** The longest time until an exhausted limit is reset. */
function untilReset(headers: CallOutcome['headers'], now: number): number | undefined {
  const waits = ['', '-requests', '-tokens'].flatMap((kind) => {
    if (headers[`x-ratelimit-remaining${kind}`] !== '0') return [];
    const reset = headers[`x-ratelimit-reset${kind}`] ?? '';
    const value = Number(reset);
    return (reset && Number.isFinite(value) ? positive(msOfWait(value, now)) : readDuration(reset)) ?? [];
  });
  return waits.length > 0 ? Math.max(...waits) : undefined;
}

/** Reads a `Retry-After` header; undefined when absent, wrong or in the past. */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  return positive(msOfRetryAfter(header, now) ?? 0);
}

/** Milliseconds that can be waited for; undefined for others. */
function positive(ms: number): number | undefined {
  return ms > 0 && Number.isFinite(ms) ? ms : undefined;
}
