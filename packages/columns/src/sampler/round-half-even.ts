/** The nearest integer, of two equally near the even one, as numpy and Python round. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const above = value - floor;
  if (above !== 0.5) return above < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}

/**
 * Rounds to digits after the point, or to tens and hundreds where `places` is negative: scaled, rounded half to even and
 * scaled back, as `numpy.round` does. What the scale would make infinite stays as it is.
 */
export function roundedTo(places: number): (value: number) => number {
  const scale = 10 ** Math.abs(places);
  if (!Number.isFinite(scale)) return (value) => value;
  return (value) => {
    const scaled = places >= 0 ? value * scale : value / scale;
    if (!Number.isFinite(scaled)) return value;
    const rounded = roundHalfEven(scaled);
    return places >= 0 ? rounded / scale : rounded * scale;
  };
}
