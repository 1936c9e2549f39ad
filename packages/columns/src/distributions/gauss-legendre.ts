// Gauss and Legendre's sixteen points and weights (Abramowitz and Stegun, table 25.4), those above 0.
export const POINTS = [
  0.09501250983763744, 0.2816035507792589, 0.45801677765722737, 0.6178762444026438, 0.755404408355003,
  0.8656312023878318, 0.9445750230732326, 0.9894009349916499,
];
export const WEIGHTS = [
  0.1894506104550685, 0.18260341504492358, 0.16915651939500254, 0.14959598881657674, 0.12462897125553388,
  0.09515851168249279, 0.062253523938647894, 0.027152459411754096,
];

/** The integral of a smooth function from `low` to `high`. */
export function integral(f: (x: number) => number, low: number, high: number): number {
  const half = (high - low) / 2;
  const middle = low + half;
  let sum = 0;
  for (let at = 0; at < POINTS.length; at++) {
    const away = half * (POINTS[at] ?? 0);
    sum += (WEIGHTS[at] ?? 0) * (f(middle + away) + f(middle - away));
  }
  return sum * half;
}
