import { Markup } from '../value/markup.ts';
import type { Value } from '../value/value.ts';
import type { Render } from './render.ts';
import type { Slots } from './scope.ts';

/** What something writes that has variables of its own, which may be in use further out. */
export function captureCall(render: Render, slots: Slots, run: () => void): Value {
  return render.deeper(() => {
    render.charge(20 + slots.to - slots.from);
    const before = render.variables.slice(slots.from, slots.to);
    for (let slot = slots.from; slot < slots.to; slot++) render.variables[slot] = undefined;
    const text = render.capture(run);
    for (let at = 0; at < slots.to - slots.from; at++) render.variables[slots.from + at] = before[at];
    return render.autoescape ? new Markup(text) : text;
  });
}
