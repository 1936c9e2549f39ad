/** Statuses below 500 that may pass: timed out, in conflict, too early, too many requests. */
const RETRYABLE: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Whether a request that was refused with this status may succeed when it is sent again. */
export function isRetryableStatus(status: number): boolean {
  return RETRYABLE.has(status) || (status >= 500 && status < 600);
}
