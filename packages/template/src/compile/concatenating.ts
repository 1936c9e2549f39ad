import { Markup } from '../value/markup.ts';
import { htmlOf } from '../value/operators.ts';
import { str } from '../value/print.ts';
import type { Evaluate } from './render.ts';

/** `a ~ b ~ c`: the texts that values print as, one after the other. */
export function concatenating(parts: readonly Evaluate[]): Evaluate {
  return (render) => {
    render.charge(2 + 2 * parts.length);
    const values = parts.map((one) => one(render));
    const html = render.autoescape && values.some((value) => value instanceof Markup);
    let text = '';
    for (const value of values) {
      const piece = html ? htmlOf(value, render) : str(value, render);
      render.chargeText(text.length + piece.length);
      text += piece;
    }
    return html ? new Markup(text) : text;
  };
}
