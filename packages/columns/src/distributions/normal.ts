/** The square root of 2 pi. */
export const SQRT_TWO_PI = 2.5066282746310007;

/** Evaluates a polynomial at x; coefficients from the highest power down. */
function polynomial(coefficients: readonly number[], x: number): number {
  let sum = 0;
  for (let at = 0; at < coefficients.length; at++) sum = sum * x + (coefficients[at] ?? 0);
  return sum;
}

// Rational approximations of Cody, "Rational Chebyshev approximations for the error function", Math. Comp. 23 (1969),
// as Cody gave them for the normal distribution in algorithm 715, ACM TOMS 19 (1993).
const CENTRE_TOP = [0.06568233791820745, 2.2352520354606837, 161.02823106855587, 1067.6894854603709, 18154.98125334356];
const CENTRE_BOTTOM = [1, 47.202581904688245, 976.0985517377767, 10260.932208618979, 45507.78933502673];
const MIDDLE_TOP = [
  1.0765576773720192e-8, 0.39894151208813466, 8.883149794388377, 93.50665613217785, 597.2702763948002,
  2494.5375852903726, 6848.190450536283, 11602.65143764735, 9842.714838383978,
];
const MIDDLE_BOTTOM = [
  1, 22.266688044328117, 235.387901782625, 1519.3775994075547, 6485.558298266761, 18615.571640885097, 34900.95272114598,
  38912.00328609327, 19685.429676859992,
];
const FAR_TOP = [
  0.023073441764940174, 0.215898534057957, 0.12740116116024736, 0.022235277870649807, 0.0014216191932278934,
  2.9112874951168793e-5,
];
const FAR_BOTTOM = [
  1, 1.284260096144911, 0.4682382124808651, 0.06598813786892856, 0.0037823963320275824, 7.297515550839662e-5,
];
const CENTRE_END = 0.67448975;
const MIDDLE_END = Math.sqrt(32);

/** The probability between 0 and x with the sign of x, for x near 0. */
function central(x: number): number {
  const square = x * x;
  return (x * polynomial(CENTRE_TOP, square)) / polynomial(CENTRE_BOTTOM, square);
}

/** The upper tail at x over `exp(-x * x / 2)`, for x of 0 or more. */
export function scaledTail(x: number): number {
  if (x <= CENTRE_END) return (0.5 - central(x)) * Math.exp((x * x) / 2);
  if (x <= MIDDLE_END) return polynomial(MIDDLE_TOP, x) / polynomial(MIDDLE_BOTTOM, x);
  const inverse = 1 / x / x;
  const correction = (inverse * polynomial(FAR_TOP, inverse)) / polynomial(FAR_BOTTOM, inverse);
  return (1 / SQRT_TWO_PI - correction) / x;
}

/** `exp(-x * x / 2)`, keeping the digits that the rounded square would lose. */
function bell(x: number): number {
  if (x > 40) return 0;
  const coarse = Math.trunc(x * 16) / 16;
  return Math.exp((-coarse * coarse) / 2) * Math.exp((-(x - coarse) * (x + coarse)) / 2);
}

/** The probability of at most x under the standard normal distribution. */
export function normalCdf(x: number): number {
  if (Math.abs(x) <= CENTRE_END) return 0.5 + central(x);
  const tail = x === -Infinity || x === Infinity ? 0 : bell(Math.abs(x)) * scaledTail(Math.abs(x));
  return x < 0 ? tail : 1 - tail;
}

// Wichura, algorithm AS 241 (PPND16), Applied Statistics 37 (1988); about 16 digits.
const NEAR_TOP = [
  2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946, 1971.5909503065513,
  133.14166789178438, 3.3871328727963665,
];
const NEAR_BOTTOM = [
  5226.495278852854, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751, 687.1870074920579,
  42.31333070160091, 1,
];
const OUTER_TOP = [
  0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684, 3.6478483247632045,
  5.769497221460691, 4.630337846156546, 1.4234371107496835,
];
const OUTER_BOTTOM = [
  1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008, 0.6897673349851,
  1.6763848301838038, 2.053191626637759, 1,
];
const FARTHEST_TOP = [
  2.0103343992922881e-7, 2.7115555687434876e-5, 0.0012426609473880784, 0.026532189526576124, 0.29656057182850487,
  1.7848265399172913, 5.463784911164114, 6.657904643501103,
];
const FARTHEST_BOTTOM = [
  2.0442631033899397e-15, 1.421511758316446e-7, 1.8463183175100548e-5, 0.0007868691311456133, 0.014875361290850615,
  0.1369298809227358, 0.599832206555888, 1,
];

/** The standard normal quantile, for p in (0, 1). */
export function normalQuantile(p: number): number {
  const fromMiddle = p - 0.5;
  if (Math.abs(fromMiddle) <= NEAR_END) return nearQuantile(fromMiddle);
  const tail = fromMiddle < 0 ? p : 1 - p;
  const far = farQuantile(Math.sqrt(-Math.log(tail)));
  return fromMiddle < 0 ? -far : far;
}

/** The standard normal quantile by the smaller of p and 1 - p. */
export function normalQuantileOf(p: number, rest: number): number {
  return p <= 0.5 ? normalQuantile(p) : -normalQuantile(rest);
}

/** The quantile of the absolute value of a standard normal number. */
export function halfNormalQuantile(p: number, rest: number): number {
  return p / 2 <= NEAR_END ? nearQuantile(p / 2) : -normalQuantile(rest / 2);
}

/** The probability that the absolute value of a standard normal number is at most x, for x of 0 or more. */
export function halfNormalCdf(x: number): number {
  return x <= CENTRE_END ? 2 * central(x) : 1 - 2 * normalCdf(-x);
}

const NEAR_END = 0.425;

function nearQuantile(fromMiddle: number): number {
  const r = 0.180625 - fromMiddle * fromMiddle;
  return (fromMiddle * polynomial(NEAR_TOP, r)) / polynomial(NEAR_BOTTOM, r);
}

function farQuantile(root: number): number {
  if (root > 5) return polynomial(FARTHEST_TOP, root - 5) / polynomial(FARTHEST_BOTTOM, root - 5);
  return polynomial(OUTER_TOP, root - 1.6) / polynomial(OUTER_BOTTOM, root - 1.6);
}
