/** Numbers above these are no times to wait but moments, in seconds and milliseconds since 1970. */
const MOMENT_S = 1e9;
const MOMENT_MS = 1e12;

/** Reads a `Retry-After` header: seconds, a date, or a moment in seconds; undefined when absent, wrong or in the past. */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  const value = Number(header);
  return positive(Number.isFinite(value) ? msOfNumber(value, now) : Date.parse(header) - now);
}

/** Milliseconds that can be waited for; undefined for others. */
export function positive(ms: number): number | undefined {
  return ms > 0 && Number.isFinite(ms) ? ms : undefined;
}

/** A number as endpoints give it: seconds, or a moment. */
export function msOfNumber(value: number, now: number): number {
  if (value >= MOMENT_MS) return value - now;
  return value >= MOMENT_S ? value * 1000 - now : value * 1000;
}
