import type { Random } from '@data-designer/core';

/** Draws one of several values, each by its weight; a choice of one value costs no draw. */
export function weightedChoice<Value>(weighted: readonly (readonly [Value, number])[]): (random: Random) => Value {
  const values = weighted.map(([value]) => value);
  const last = values.length - 1;
  if (last === 0) return () => values[0] as Value;
  const total = weighted.reduce((sum, [, weight]) => sum + weight, 0);
  let sum = 0;
  const bounds = weighted.map(([, weight]) => (sum += weight) / total);
  return (random) => {
    const point = random.float();
    let at = 0;
    while (at < last && point >= (bounds[at] as number)) at++;
    return values[at] as Value;
  };
}
