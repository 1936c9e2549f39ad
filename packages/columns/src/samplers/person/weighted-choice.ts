import type { Random } from '@data-designer/core';
import { weightedIndex } from '../weighted-index.ts';

/** Draws one of several values, each by its weight; a choice of one value costs no draw. */
export function weightedChoice<Value>(weighted: readonly (readonly [Value, number])[]): (random: Random) => Value {
  const values = weighted.map(([value]) => value);
  if (values.length === 1) return () => values[0] as Value;
  const index = weightedIndex(weighted.map(([, weight]) => weight));
  return (random) => values[index(random)] as Value;
}
