import { scaledTail } from './normal.ts';
import { type BetaShape, deviance } from './stirling.ts';

/** Enough if `a - (a + b) x` is at most 0.03 of the smaller parameter, and that exceeds 3,000. */
const ORDERS = 10;

/**
 * `I_x(a, b)` for large a and b and x up to the mean, as a function of `a - (a + b) x`. Source: DiDonato and Morris,
 * algorithm 708, ACM TOMS 18 (1992), asymptotic expansion BASYM.
 */
export function largeBeta({ a, b, error }: BetaShape): (below: number) => number {
  const coefficients = expansionCoefficients(a, b);
  const weight = 1 / Math.sqrt(Math.min(a, b) * (1 + Math.min(a, b) / Math.max(a, b)));
  return (below) => {
    const half = deviance(a, a - below) + deviance(b, b + below);
    return (2 / Math.sqrt(Math.PI)) * Math.exp(error - half) * expansion(coefficients, weight, half);
  };
}

/** The sum over integrals of powers over a normal tail: even and odd powers each follow their own recurrence. */
function expansion(coefficients: Float64Array, weight: number, half: number): number {
  const first = Math.SQRT1_2 / 2;
  const square = 2 * half;
  const root = Math.sqrt(square);
  let even = (scaledTail(root) * Math.sqrt(Math.PI)) / 2;
  let odd = first;
  let evenPower = root;
  let oddPower = square;
  let weights = weight;
  let sum = even + (coefficients[0] ?? 0) * weight * odd;
  for (let n = 2; n <= ORDERS; n += 2) {
    even = first * evenPower + (n - 1) * even;
    odd = first * oddPower + n * odd;
    evenPower *= square;
    oddPower *= square;
    const evenTerm = (coefficients[n - 1] ?? 0) * weights * weight * even;
    weights *= weight * weight;
    const oddTerm = (coefficients[n] ?? 0) * weights * odd;
    sum += evenTerm + oddTerm;
    if (Math.abs(evenTerm) + Math.abs(oddTerm) <= 1e-17 * sum) break;
  }
  return sum;
}

function expansionCoefficients(a: number, b: number): Float64Array {
  const base = baseCoefficients(a, b);
  const reciprocal = new Float64Array(ORDERS + 1);
  const coefficients = new Float64Array(ORDERS + 1);
  for (let i = 1; i <= ORDERS + 1; i++) {
    let sum = (reciprocal[i - 1] = powerCoefficient(base, i) / (i + 1));
    for (let j = 1; j < i; j++) sum += (coefficients[i - j - 1] ?? 0) * (reciprocal[j - 1] ?? 0);
    coefficients[i - 1] = -sum;
  }
  return coefficients;
}

/** Coefficient i of the series `1 + base[0] z + base[1] z^2 ...` raised to `-(i + 1) / 2`. */
function powerCoefficient(base: Float64Array, i: number): number {
  const power = -(i + 1) / 2;
  const found = new Float64Array(i);
  for (let m = 1; m <= i; m++) {
    let sum = 0;
    for (let j = 1; j < m; j++) sum += (j * power - (m - j)) * (base[j - 1] ?? 0) * (found[m - j - 1] ?? 0);
    found[m - 1] = power * (base[m - 1] ?? 0) + sum / m;
  }
  return found[i - 1] ?? 0;
}

function baseCoefficients(a: number, b: number): Float64Array {
  const ratio = Math.min(a, b) / Math.max(a, b);
  const skew = (b - a) / Math.max(a, b);
  const base = new Float64Array(ORDERS + 1);
  base[0] = (2 / 3) * skew;
  let powers = 1;
  let sum = 1;
  for (let n = 2; n <= ORDERS; n += 2) {
    powers *= ratio * ratio;
    sum += powers;
    base[n - 1] = (2 / (1 + ratio)) * ((1 + ratio * powers) / (n + 2));
    base[n] = (2 * skew * sum) / (n + 3);
  }
  return base;
}
