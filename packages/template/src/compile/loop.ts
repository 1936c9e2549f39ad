import type { For, Statement, Target } from '../syntax/tree.ts';
import { iterate } from '../value/iterate.ts';
import { LoopState } from '../value/loop-state.ts';
import { truthy } from '../value/truth.ts';
import type { Value } from '../value/value.ts';
import type { Context } from './context.ts';
import { compileExpression } from './expression.ts';
import type { Execute, Render } from './render.ts';
import { declareStored, Scope } from './scope.ts';
import { captureCall } from './written-by.ts';

/** The parts of compilation that loops are made of and that loops are part of. */
export interface Parts {
  readonly statements: (statements: readonly Statement[], context: Context) => Execute;
  readonly scoped: (statements: readonly Statement[], context: Context) => Execute;
  readonly target: (target: Target, context: Context) => (value: Value, render: Render) => void;
}

/** Goes through values at a depth of recursion, which is 1 where there is none. */
type Loop = (values: readonly Value[], depth: number, render: Render) => void;

/** Compiles a loop. Each turn begins with its own names unset, as Jinja2's loops do. */
export function compileFor(node: For, context: Context, parts: Parts): Execute {
  const iterable = compileExpression(node.iterable, context);
  const from = context.scope.next;
  const chosen = compileChoice(node, context, parts);
  const within = { ...context, scope: new Scope(context.scope) };
  const loopSlot = within.scope.declare('loop');
  const store = parts.target(node.target, within);
  declareStored(within.scope, node.body);
  const turn = parts.statements(node.body, within);
  const { slots } = within.scope;
  const otherwise = parts.scoped(node.otherwise, { ...context, scope: new Scope(context.scope) });
  const range = { from, to: context.scope.next };
  const loop: Loop = (values, depth, render) => {
    if (values.length === 0) return otherwise(render);
    render.charge(8);
    const again = (inner: Value): Value =>
      captureCall(render, range, () => loop(chosen(iterate(inner, render), render), depth + 1, render));
    const { leniency } = render.dialect;
    const state = new LoopState(values, { depth, leniency, again: node.recursive ? again : undefined });
    for (const value of values) {
      render.charge(4);
      for (const slot of slots) render.variables[slot] = undefined;
      render.variables[loopSlot] = state;
      store(value, render);
      turn(render);
      state.advance();
    }
  };
  return (render) => loop(chosen(iterate(iterable(render), render), render), 1, render);
}

/** What is looped over, less what the loop's own `if` leaves out. */
function compileChoice(
  node: For,
  context: Context,
  parts: Parts,
): (values: readonly Value[], render: Render) => readonly Value[] {
  if (node.test === undefined) return (values) => values;
  const within = { ...context, scope: new Scope(context.scope) };
  const store = parts.target(node.target, within);
  const test = compileExpression(node.test, within);
  return (values, render) =>
    values.filter((value) => {
      render.charge(3);
      store(value, render);
      return truthy(test(render), render);
    });
}
