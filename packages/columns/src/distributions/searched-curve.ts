import { normalQuantileOf } from './normal.ts';
import type { Curve } from './shift-and-scale.ts';
import { solveQuantile, type Tails } from './solve-quantile.ts';

/** A distribution by the tails of a coordinate of its values, such as their logarithm. */
interface Searched extends Pick<Curve, 'support' | 'draw'> {
  /** The tails and the density in the coordinate. */
  readonly tails: Tails;
  readonly coordinate: (x: number) => number;
  readonly value: (at: number) => number;
  /** About the mean and the deviation of the coordinate, where the search begins. */
  readonly about: { readonly mean: number; readonly deviation: number };
}

/** A distribution whose quantiles are found by a search within its tails. */
export function searchedCurve({ support, tails, coordinate, value, about, draw }: Searched): Curve {
  const { mean, deviation } = about;
  return {
    support,
    cdf: (x) => tails.lower(coordinate(x)),
    quantile: (p, rest) => {
      const at = mean + deviation * normalQuantileOf(p, rest);
      return value(solveQuantile(tails, p, { at, step: deviation, rest }));
    },
    ...(draw && { draw }),
  };
}

/** The tails of positive values as functions of the logarithm. */
export function tailsOfLog({ lower, upper, density }: Tails): Tails {
  return {
    lower: (at) => lower(Math.exp(at)),
    upper: (at) => upper(Math.exp(at)),
    density: (at) => Math.exp(at) * density(Math.exp(at)),
  };
}
