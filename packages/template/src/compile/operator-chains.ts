import type { Comparison } from '../syntax/tree.ts';
import { contains, ordered } from '../value/compare.ts';
import { equal } from '../value/equal.ts';
import type { Meter } from '../value/meter.ts';
import type { Value } from '../value/value.ts';
import type { Evaluate } from './render.ts';

const HOLDS: { readonly [Sign in Comparison]: (a: Value, b: Value, meter: Meter) => boolean } = {
  '==': equal,
  '!=': (a, b, meter) => !equal(a, b, meter),
  '<': (a, b, meter) => ordered(a, b, { by: '<', meter }),
  '<=': (a, b, meter) => ordered(a, b, { by: '<=', meter }),
  '>': (a, b, meter) => ordered(a, b, { by: '>', meter }),
  '>=': (a, b, meter) => ordered(a, b, { by: '>=', meter }),
  in: (a, b, meter) => contains(b, a, meter),
  'not in': (a, b, meter) => !contains(b, a, meter),
};

/** One further comparison of a chain, with its right side compiled. */
interface Link {
  readonly operator: Comparison;
  readonly operand: Evaluate;
}

/** A chain of comparisons such as `1 < a < 3`, which ends at the first that does not hold. */
export function comparing(first: Evaluate, links: readonly Link[]): Evaluate {
  const steps = links.map(({ operator, operand }) => ({ holds: HOLDS[operator], operand }));
  return (render) => {
    let left = first(render);
    render.charge(2 * steps.length);
    for (const { holds, operand } of steps) {
      const right = operand(render);
      if (!holds(left, right, render)) return false;
      left = right;
    }
    return true;
  };
}
