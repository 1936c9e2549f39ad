import type { For, Statement, Target } from '../syntax/tree.ts';
import { iterate } from '../value/iterate.ts';
import { LoopState } from '../value/loop-state.ts';
import { truthy } from '../value/truth.ts';
import type { Value } from '../value/value.ts';
import { type Context, refuse } from './context.ts';
import { compileExpression } from './expression.ts';
import type { Execute, Render } from './render.ts';
import { declareStored, Scope } from './scope.ts';

/** The parts of compilation that loops are made of and that loops are part of. */
export interface Parts {
  readonly statements: (statements: readonly Statement[], context: Context) => Execute;
  readonly scoped: (statements: readonly Statement[], context: Context) => Execute;
  readonly target: (target: Target, context: Context) => (value: Value, render: Render) => void;
}

/** Compiles a loop. Each turn begins with its own names unset, as Jinja2's loops do. */
export function compileFor(node: For, context: Context, parts: Parts): Execute {
  if (node.recursive) refuse('a recursive loop', 'Write one loop for each level that is needed.');
  const items = compileItems(node, context, parts);
  const depth = context.loopDepth + 1;
  const within = { ...context, scope: new Scope(context.scope), loopDepth: depth };
  const loopSlot = within.scope.declare('loop');
  const store = parts.target(node.target, within);
  declareStored(within.scope, node.body);
  const turn = parts.statements(node.body, within);
  const { slots } = within.scope;
  const otherwise = parts.scoped(node.otherwise, { ...context, scope: new Scope(context.scope) });
  return (render) => {
    const values = items(render);
    if (values.length === 0) return otherwise(render);
    const state = new LoopState(values, depth, render.manners.leniency);
    for (const value of values) {
      render.charge(2);
      for (const slot of slots) render.variables[slot] = undefined;
      render.variables[loopSlot] = state;
      store(value, render);
      turn(render);
      state.advance();
    }
  };
}

/** What is looped over, less what the loop's own `if` leaves out. */
function compileItems(node: For, context: Context, parts: Parts): (render: Render) => readonly Value[] {
  const iterable = compileExpression(node.iterable, context);
  if (node.test === undefined) return (render) => iterate(iterable(render), render);
  const within = { ...context, scope: new Scope(context.scope) };
  const store = parts.target(node.target, within);
  const test = compileExpression(node.test, within);
  return (render) =>
    iterate(iterable(render), render).filter((value) => {
      render.charge(2);
      store(value, render);
      return truthy(test(render), render);
    });
}
