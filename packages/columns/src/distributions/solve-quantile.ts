/** Both tails and the density of a distribution whose density is log-concave. */
export interface Tails {
  readonly lower: (at: number) => number;
  readonly upper: (at: number) => number;
  readonly density: (at: number) => number;
}

/** The starting point, and the first step (above 0) where Newton's step leaves the bounds. */
export interface Start {
  readonly at: number;
  readonly step: number;
  /** 1 - p, by default computed from p; needed where p rounds to 1. */
  readonly rest?: number;
}

const MAX_STEPS = 200;
const PRECISION = 4e-16;
/** Newton's method squares its error: a step this small relative to the spread is the last. */
const LAST_STEP = 1e-10;

/** Solves `lower(x) = p` by Newton's method on the logarithm of the smaller tail, whose concavity makes it converge. */
export function solveQuantile(tails: Tails, p: number, { at, step, rest = 1 - p }: Start): number {
  const isLower = p <= 0.5;
  const tail = isLower ? tails.lower : tails.upper;
  const target = isLower ? p : rest;
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
