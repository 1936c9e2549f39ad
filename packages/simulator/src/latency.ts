import type { Random } from '@data-designer/core';

/** How long an answer takes, in milliseconds. */
export type Latency = (random: Random) => number;

const SHAPES: Record<string, (first: number, second: number) => Latency> = {
  uniform: (low, high) => (random) => low + (high - low) * random.float(),
  lognormal: (median, sigma) => (random) => median * Math.exp(sigma * normal(random)),
};

/** Reads `200`, `uniform:100:300` or `lognormal:200:0.5` (median, sigma), in milliseconds; undefined if it is none. */
export function readLatency(text: string): Latency | undefined {
  const [shape = '', ...numbers] = text.split(':');
  if (numbers.length === 0) return isAmount(shape) ? constant(Number(shape)) : undefined;
  const make = Object.hasOwn(SHAPES, shape) ? SHAPES[shape] : undefined;
  const [first = '', second = ''] = numbers;
  if (make === undefined || numbers.length !== 2 || !isAmount(first) || !isAmount(second)) return undefined;
  if (shape === 'uniform' && Number(second) < Number(first)) return undefined;
  return make(Number(first), Number(second));
}

function constant(milliseconds: number): Latency {
  return () => milliseconds;
}

function isAmount(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text);
}

/** A standard normal draw by the Box-Muller transform; the first draw is kept above 0. */
function normal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.float()));
  return radius * Math.cos(2 * Math.PI * random.float());
}
