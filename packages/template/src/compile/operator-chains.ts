import type { Comparison } from '../syntax/tree.ts';
import { COMPARISONS } from '../value/compare.ts';
import { Markup } from '../value/markup.ts';
import { htmlOf } from '../operators.ts';
import { str } from '../value/print.ts';
import type { Evaluate } from './render.ts';

/** One comparison of a chain, with its right side compiled. */
interface Link {
  readonly operator: Comparison;
  readonly operand: Evaluate;
}

/** Compiles comparisons such as `1 < a < 3`; evaluation stops at the first that is false. */
export function compileComparisons(first: Evaluate, links: readonly Link[]): Evaluate {
  const steps = links.map(({ operator, operand }) => ({ holds: COMPARISONS[operator], operand }));
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

/** Compiles `a ~ b ~ c`, which joins the printed values. */
export function compileConcatenation(parts: readonly Evaluate[]): Evaluate {
  return (render) => {
    render.charge(2 + 2 * parts.length);
    const values = parts.map((one) => one(render));
    const html = render.autoescape && values.some((value) => value instanceof Markup);
    const print = html ? htmlOf : str;
    let text = '';
    for (const value of values) {
      const piece = print(value, render);
      render.chargeText(text.length + piece.length);
      text += piece;
    }
    return html ? new Markup(text) : text;
  };
}
