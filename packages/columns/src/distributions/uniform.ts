import type { NumberDistribution } from '../define-sampler.ts';
import { constant } from './shift-and-scale.ts';

/** Uniform floats from `low` to below `high`, which rounding never reaches; a constant if both are equal. */
export function uniformWithin(low: number, high: number): NumberDistribution {
  if (low === high) return constant(low);
  const highest = floatBelow(high);
  const width = high - low;
  // If the difference overflows, a weighted sum does not.
  const at = width === Infinity ? (u: number) => low * (1 - u) + high * u : (u: number) => low + width * u;
  const clamped = (value: number): number => (value < high ? value : highest);
  return {
    discrete: false,
    support: [low, highest],
    draw: (random) => {
      // Inlined: this is the hottest draw.
      const value = width === Infinity ? at(random.float()) : low + width * random.float();
      return value < high ? value : highest;
    },
    cdf: (x) => {
      if (x <= low) return 0;
      return x >= highest ? 1 : (x / 2 - low / 2) / (high / 2 - low / 2);
    },
    quantile: (p) => (p <= 0 ? low : clamped(at(Math.min(1, p)))),
  };
}

/** The next float below a number. */
function floatBelow(value: number): number {
  const bits = new DataView(new ArrayBuffer(8));
  if (value === 0) return -Number.MIN_VALUE;
  bits.setFloat64(0, value);
  bits.setBigInt64(0, bits.getBigInt64(0) - (value > 0 ? 1n : -1n));
  return bits.getFloat64(0);
}
