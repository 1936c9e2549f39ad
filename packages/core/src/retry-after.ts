/** Numbers above these are no times to wait but moments, in seconds and milliseconds since 1970. */
const MOMENT_S = 1e9;
const MOMENT_MS = 1e12;

/**
 * The milliseconds from `now` (ms since 1970) that a `Retry-After` header asks to wait: seconds, a date, or a moment in
 * seconds. Below zero for one in the past, and undefined for a header that is absent or wrong.
 */
export function msOfRetryAfter(header: string | null | undefined, now: number): number | undefined {
  if (header === undefined || header === null || header.trim() === '') return undefined;
  const value = Number(header);
  const ms = Number.isNaN(value) ? Date.parse(header) - now : msOfWait(value, now);
  return Number.isFinite(ms) ? ms : undefined;
}

/** A number as endpoints give it: seconds, or a moment. */
export function msOfWait(value: number, now: number): number {
  if (value >= MOMENT_MS) return value - now;
  return value >= MOMENT_S ? value * 1000 - now : value * 1000;
}
