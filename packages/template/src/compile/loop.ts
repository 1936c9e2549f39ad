import type { For, Statement, Target } from '../syntax/tree.ts';
import { iterate, truthy } from '../value/inspect.ts';
import { LoopState } from '../value/loop-state.ts';
import type { Value } from '../value/value.ts';
import { type Context, innerContext } from './context.ts';
import { compileExpression } from './expression.ts';
import type { Execute, Render } from './render.ts';
import { declareStored } from './scope.ts';

/** Compilers from `statement.ts`; passing them avoids an import cycle. */
export interface StatementCompilers {
  readonly statements: (statements: readonly Statement[], context: Context) => Execute;
  readonly scoped: (statements: readonly Statement[], context: Context) => Execute;
  readonly target: (target: Target, context: Context) => (value: Value, render: Render) => void;
}

/** Renders the loop for values at a depth of recursion, which begins at 1. */
type Loop = (values: readonly Value[], depth: number, render: Render) => void;

/** Compiles a loop; as in Jinja2, each iteration begins with its own names unset. */
export function compileFor(node: For, context: Context, compilers: StatementCompilers): Execute {
  const iterable = compileExpression(node.iterable, context);
  const from = context.scope.next;
  const filtered = compileLoopFilter(node, context, compilers);
  const within = innerContext(context);
  const loopSlot = within.scope.declare('loop');
  const store = compilers.target(node.target, within);
  declareStored(within.scope, node.body);
  const body = compilers.statements(node.body, within);
  const { slots } = within.scope;
  const otherwise = compilers.scoped(node.otherwise, innerContext(context));
  const range = { from, to: context.scope.next };
  const loop: Loop = (values, depth, render) => {
    if (values.length === 0) return otherwise(render);
    render.charge(8);
    const again = (inner: Value): Value =>
      render.captureCall(range, () => loop(filtered(iterate(inner, render), render), depth + 1, render));
    const state = new LoopState(values, { depth, meter: render, again: node.recursive ? again : undefined });
    for (const value of values) {
      render.charge(4);
      for (const slot of slots) render.variables[slot] = undefined;
      render.variables[loopSlot] = state;
      store(value, render);
      body(render);
      state.advance();
    }
  };
  return (render) => loop(filtered(iterate(iterable(render), render), render), 1, render);
}

/** Compiles the loop's own `if`, which leaves values out. */
function compileLoopFilter(
  node: For,
  context: Context,
  compilers: StatementCompilers,
): (values: readonly Value[], render: Render) => readonly Value[] {
  if (node.test === undefined) return (values) => values;
  const within = innerContext(context);
  const store = compilers.target(node.target, within);
  const test = compileExpression(node.test, within);
  return (values, render) =>
    values.filter((value) => {
      render.charge(3);
      store(value, render);
      return truthy(test(render), render);
    });
}
