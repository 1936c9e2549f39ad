import { logBinomial } from './binomial.ts';
import { constantCount, type Counts } from './count-distribution.ts';
import { type PeakedCounts, ratioOfUniforms } from './ratio-of-uniforms.ts';
import { tableDraw } from './table-draw.ts';

/** The parameters: all balls, the marked ones, and how many are drawn without replacement. */
export interface Urn {
  readonly balls: number;
  readonly marked: number;
  readonly drawn: number;
}

/** The hypergeometric distribution: how many of the drawn balls are marked. */
export function hypergeometricCounts(urn: Urn): Counts {
  const { balls, marked, drawn } = urn;
  const [lowest, highest] = [Math.max(0, marked + drawn - balls), Math.min(marked, drawn)];
  if (lowest === highest) return constantCount(lowest);
  const mean = (drawn / balls) * marked;
  const variance = varianceOf(urn);
  const lower = sumOf(urn, 'down');
  const upper = sumOf(urn, 'up');
  return {
    support: [lowest, highest],
    lower: (count) => (count > mean ? 1 - upper(count + 1) : lower(count)),
    upper: (count) => (count >= mean ? upper(count + 1) : 1 - lower(count)),
    about: { mean, deviation: Math.sqrt(variance) },
    draw: hypergeometricDraw(urn, { lowest, highest }),
  };
}

function varianceOf({ balls, marked, drawn }: Urn): number {
  return drawn * (marked / balls) * ((balls - marked) / balls) * ((balls - drawn) / (balls - 1));
}

/** The probability of `count + 1` over that of `count`. */
function ratioIn({ balls, marked, drawn }: Urn): (count: number) => number {
  const unmarkedLeft = balls - marked - drawn;
  return (count) => ((marked - count) / (count + 1)) * ((drawn - count) / (unmarkedLeft + count + 1));
}

/** The summed probability of a count and all counts beyond it in one direction. */
function sumOf(urn: Urn, direction: 'up' | 'down'): (count: number) => number {
  const logMass = logMassIn(urn);
  const ratio = ratioIn(urn);
  return (count) => {
    let [term, sum] = [1, 1];
    if (direction === 'up') for (let at = count; term > sum * 1e-17; at++) sum += term *= ratio(at);
    else for (let at = count - 1; term > sum * 1e-17; at--) sum += term /= ratio(at);
    return sum * Math.exp(logMass(count));
  };
}

/** The product of three binomial probabilities. Source: Loader, as in `stirling.ts`. */
function logMassIn({ balls, marked, drawn }: Urn): (count: number) => number {
  const p = drawn / balls;
  const first = logBinomial(marked, p);
  const second = logBinomial(balls - marked, p);
  const whole = logBinomial(balls, p)(drawn);
  return (count) => first(count) + second(drawn - count) - whole;
}

function hypergeometricDraw(urn: Urn, bounds: { readonly lowest: number; readonly highest: number }): Counts['draw'] {
  const { balls, marked, drawn } = urn;
  const mode = modeOf(urn);
  const table = tableDraw({ ...bounds, mode, ratio: ratioIn(urn) });
  if (table) return table;
  // Ratio of uniforms expects at most half of the balls marked and drawn; the other cases mirror these.
  const fewMarked = Math.min(marked, balls - marked);
  const fewDrawn = Math.min(drawn, balls - drawn);
  const peaked = hypergeometricPeak({ balls, marked: fewMarked, drawn: fewDrawn });
  return (random) => {
    let count = ratioOfUniforms(random, peaked);
    if (marked > fewMarked) count = fewDrawn - count;
    return drawn > fewDrawn ? marked - count : count;
  };
}

function hypergeometricPeak(urn: Urn): PeakedCounts {
  const logMass = logMassIn(urn);
  const { balls, marked, drawn } = urn;
  const mean = (drawn / balls) * marked;
  const logTop = logMass(modeOf(urn));
  return { lowest: 0, highest: Math.min(marked, drawn), mean, variance: varianceOf(urn), logMass, logTop };
}

function modeOf({ balls, marked, drawn }: Urn): number {
  return Math.floor(((marked + 1) / (balls + 2)) * (drawn + 1));
}
