/** What a quantile is looked for in: both tails of a distribution with a log-concave density, and that density. */
export interface Tails {
  readonly lower: (at: number) => number;
  readonly upper: (at: number) => number;
  readonly density: (at: number) => number;
}

/** Where to begin, and the first step where Newton's leads nowhere; above 0. */
export interface Start {
  readonly at: number;
  readonly step: number;
}

const MAX_STEPS = 200;
const PRECISION = 4e-16;
/** Newton's method squares its error: after a step as small as this beside the spread nothing is left of it. */
const LAST_STEP = 1e-10;

/**
 * Where the lower tail is p, for p in (0, 1): Newton's method on the logarithm of the smaller tail. That is concave, so
 * that the steps converge from everywhere; what rounding does to them is held within bounds.
 */
export function solveQuantile(tails: Tails, p: number, { at, step }: Start): number {
  const isLower = p <= 0.5;
  const tail = isLower ? tails.lower : tails.upper;
  const target = isLower ? p : 1 - p;
  let low = -Infinity;
  let high = Infinity;
  let width = step;
  let current = at;
  for (let count = 0; count < MAX_STEPS; count++) {
    const value = tail(current);
    if (value === target) return current;
    if (value < target === isLower) low = current;
    else high = current;
    const newton = (value * Math.log(target / value)) / tails.density(current);
    const wanted = isLower ? current + newton : current - newton;
    const isWithin = wanted > low && wanted < high;
    const next = isWithin ? wanted : between(low, high, width);
    if (!isWithin) width *= 2;
    const last = isWithin ? LAST_STEP * Math.min(1, step) : 0;
    if (Math.abs(next - current) <= Math.max(PRECISION * Math.abs(next), last)) return next;
    current = next;
  }
  return current;
}

function between(low: number, high: number, width: number): number {
  if (low === -Infinity) return high - width;
  return high === Infinity ? low + width : low + (high - low) / 2;
}
