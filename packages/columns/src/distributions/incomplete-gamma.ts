import { scaledTail } from './normal.ts';
import { deviance, gammaPower, stirlingError } from './stirling.ts';

const MAX_TERMS = 2000;
const LARGE = 20;
const ETA_TERMS = 26;

/** The lower or the upper tail. */
export type Part = 'lower' | 'upper';

/**
 * The regularized incomplete gamma function, with full relative precision in both tails: the series and the continued
 * fraction (DLMF 8.11.4, 8.9.2), and Temme's expansion near x = a for large a.
 */
export function incompleteGamma(a: number): (x: number, part: Part) => number {
  const error = stirlingError(a);
  return (x, part) => {
    if (!(x > 0) || x === Infinity) return x > 0 === (part === 'lower') ? 1 : 0;
    if (a >= LARGE && x > 0.3 * a && x < 2.35 * a) return nearby(a, x, part);
    const power = gammaPower(a, x, error);
    const isLower = x < a + 1;
    const value = isLower ? power * series(a, x) : power * a * fraction(a, x);
    return isLower === (part === 'lower') ? value : 1 - value;
  };
}

/** The sum of `x^n / ((a + 1) ... (a + n))`. */
function series(a: number, x: number): number {
  let term = 1;
  let sum = 1;
  for (let n = 1; n < MAX_TERMS; n++) {
    term *= x / (a + n);
    sum += term;
    if (term < sum * 1e-17) break;
  }
  return sum;
}

/** The continued fraction of the upper part over `x^a exp(-x)`, by the method of Lentz, Thompson and Barnett. */
function fraction(a: number, x: number): number {
  let bottom = x + 1 - a;
  let up = 1e300;
  let down = 1 / bottom;
  let value = down;
  for (let n = 1; n < MAX_TERMS; n++) {
    const top = n * (a - n);
    bottom += 2;
    down = 1 / (bottom + top * down);
    up = bottom + top / up;
    const factor = up * down;
    value *= factor;
    if (Math.abs(factor - 1) < 2e-16) break;
  }
  return value;
}

/** Coefficients of `eta / (lambda - 1)` in powers of eta, where `eta^2 / 2 = lambda - 1 - ln lambda`. */
const COEFFICIENTS = etaCoefficients();

function etaCoefficients(): readonly number[] {
  // The coefficients of lambda - 1 first: its product with its derivative is eta times lambda.
  const alpha = [0, 1];
  for (let n = 2; n <= ETA_TERMS + 1; n++) {
    let sum = alpha[n - 1] ?? 0;
    for (let j = 2; j < n; j++) sum -= (alpha[j] ?? 0) * (n + 1 - j) * (alpha[n + 1 - j] ?? 0);
    alpha.push(sum / (n + 1));
  }
  const inverse = [1];
  for (let n = 1; n <= ETA_TERMS; n++) {
    let sum = 0;
    for (let j = 1; j <= n; j++) sum -= (alpha[j + 1] ?? 0) * (inverse[n - j] ?? 0);
    inverse.push(sum);
  }
  return inverse;
}

/** Temme's expansion. Source: Gil, Segura, Temme, SIAM J. Sci. Comput. 34 (2012), section 2.5. */
function nearby(a: number, x: number, part: Part): number {
  const half = deviance(a, x);
  const eta = Math.sign(x - a) * Math.sqrt((2 * half) / a);
  const height = Math.exp(-half);
  const correction = (height * etaSum(a, eta)) / Math.sqrt(2 * Math.PI * a);
  const tail = height * scaledTail(Math.sqrt(2 * half));
  const outer = eta < 0 ? tail - correction : tail + correction;
  return eta >= 0 === (part === 'upper') ? outer : 1 - outer;
}

function etaSum(a: number, eta: number): number {
  let last = 0;
  let current = 0;
  let sum = 0;
  // From the highest power down; each value depends on the second one above it.
  for (let n = ETA_TERMS - 1; n >= 0; n--) {
    const value: number = (COEFFICIENTS[n + 1] ?? 0) + ((n + 2) * last) / a;
    last = current;
    current = value;
    sum = sum * eta + value;
  }
  return sum / (1 + last / a);
}
