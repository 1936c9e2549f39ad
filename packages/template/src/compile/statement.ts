import type { ByKind, FilterUse, Statement, Target } from '../syntax/tree.ts';
import { typeFault } from '../fault.ts';
import { iterate, truthy } from '../value/inspect.ts';
import { Markup } from '../value/markup.ts';
import type { Dialect } from '../value/meter.ts';
import { Namespace } from '../value/collections.ts';
import type { Value } from '../value/value.ts';
import { type Context, innerContext, refuse, rootContext } from './context.ts';
import { compileCall, compileExpression, compileFilter } from './expression.ts';
import { compileFor } from './loop.ts';
import { compileMacro } from './macro.ts';
import type { Evaluate, Execute, Render } from './render.ts';
import { declareStored, Scope } from './scope.ts';

const NO_OTHER_TEMPLATES = 'A template cannot load others: copy their text into it.';

type Statements = ByKind<Statement>;

/** Compiles a whole template into one function that writes its output. */
export function compileTree(tree: readonly Statement[], dialect: Dialect): Execute {
  return compileScoped(tree, rootContext(dialect.filters));
}

/** Compiles statements into one function that writes their output. */
function compileStatements(statements: readonly Statement[], context: Context): Execute {
  const steps = statements.map((node) => compileKind(node.kind, node, context));
  const [first] = steps;
  if (first !== undefined && steps.length === 1) return first;
  return (render) => {
    for (const step of steps) step(render);
  };
}

/** Compiles statements with names of their own, which it unsets on each entry. */
function compileScoped(statements: readonly Statement[], context: Context): Execute {
  declareStored(context.scope, statements);
  const run = compileStatements(statements, context);
  const { slots } = context.scope;
  if (slots.length === 0) return run;
  return (render) => {
    for (const slot of slots) render.variables[slot] = undefined;
    run(render);
  };
}

function compileKind<Kind extends keyof Statements>(kind: Kind, node: Statements[Kind], context: Context): Execute {
  return COMPILERS[kind](node, context);
}

const COMPILERS: { readonly [Kind in keyof Statements]: (node: Statements[Kind], context: Context) => Execute } = {
  output: ({ parts }, context) => compileOutput(parts, context),
  if: ({ test, body, elifs, otherwise }, context) => {
    const branch = { ...context, onBranch: true };
    const branches = [{ test, body }, ...elifs].map((one) => ({
      test: compileExpression(one.test, branch),
      body: compileStatements(one.body, branch),
    }));
    const last = compileStatements(otherwise, branch);
    return (render) => {
      render.charge(branches.length);
      for (const one of branches) if (truthy(one.test(render), render)) return one.body(render);
      last(render);
    };
  },
  for: (node, context) =>
    compileFor(node, context, { statements: compileStatements, scoped: compileScoped, target: compileTarget }),
  with: ({ targets, values, body }, context) => {
    const within = innerContext(context);
    const pairs = targets.map((target, at) => ({
      value: compileExpression(values[at] ?? refuse('a with without value', ''), context),
      store: compileTarget(target, within),
    }));
    declareStored(within.scope, body);
    const run = compileStatements(body, within);
    return (render) => {
      render.charge(8 + 5 * pairs.length);
      const given = pairs.map(({ value }) => value(render));
      for (const slot of within.scope.slots) render.variables[slot] = undefined;
      for (const [at, { store }] of pairs.entries()) store(given[at] ?? null, render);
      run(render);
    };
  },
  set: ({ target, value }, context) => {
    const store = compileTarget(target, context);
    const evaluate = compileExpression(value, context);
    return (render) => {
      render.charge(1);
      store(evaluate(render), render);
    };
  },
  'set-block': ({ target, filter, body }, context) => {
    const store = compileTarget(target, context);
    const run = compileScoped(body, innerContext(context));
    const capture: Evaluate = (render) => captured(render, run);
    const value = filter === undefined ? capture : compileFilters(filter, capture, context);
    return (render) => store(value(render), render);
  },
  'filter-block': ({ filter, body }, context) => {
    const run = compileScoped(body, innerContext(context));
    const value = compileFilters(filter, (render) => captured(render, run), context);
    return (render) => render.emitPlain(value(render));
  },
  scope: ({ body }, context) => compileScoped(body, innerContext(context)),
  autoescape: ({ on, body }, context) => {
    const test = compileExpression(on.value, context);
    const run = compileStatements(body, context);
    return (render) => {
      render.charge(2);
      const before = render.autoescape;
      render.autoescape = truthy(test(render), render);
      run(render);
      render.autoescape = before;
    };
  },
  macro: (node, context) => {
    const slot = context.scope.declare(node.name);
    const macro = compileMacro(node, context, compileStatements);
    return (render) => {
      render.variables[slot] = macro(render);
    };
  },
  'call-block': ({ call, signature, body }, context) => {
    const caller = compileMacro({ name: 'caller', signature, body }, context, compileStatements);
    const value = compileCall(call, context, { caller });
    return (render) => render.emitPlain(value(render));
  },
  block: ({ name, scoped, required, body }, context) => {
    if (required) refuse('a required block', 'Remove the word required.');
    const scope = new Scope(scoped ? context.scope : context.root);
    const from = scope.next;
    const run = compileScoped(body, { ...context, scope, onBranch: false });
    context.blocks.set(name, { run, slots: { from, to: scope.next } });
    return run;
  },
  extends: () => refuse('{% extends %}', NO_OTHER_TEMPLATES),
  include: () => refuse('{% include %}', NO_OTHER_TEMPLATES),
  import: () => refuse('{% import %}', NO_OTHER_TEMPLATES),
};

/** Compiles a chain of filters whose first input is the text of a block. */
function compileFilters(node: FilterUse, input: Evaluate, context: Context): Evaluate {
  const before = node.input?.kind === 'filter' ? compileFilters(node.input, input, context) : input;
  return compileFilter(node, before, context);
}

function captured(render: Render, run: Execute): Value {
  render.charge(4);
  const text = render.capture(run);
  return render.autoescape ? new Markup(text) : text;
}

function compileOutput(parts: Statements['output']['parts'], context: Context): Execute {
  const steps = parts.map((part): Execute => {
    if (part.kind === 'data') return (render) => render.write(part.text);
    const value = compileExpression(part, context);
    return (render) => render.emit(value(render));
  });
  const cost = 1 + steps.length;
  return (render) => {
    render.charge(cost);
    for (const step of steps) step(render);
  };
}

/** Stores a value in its target. */
type Store = (value: Value, render: Render) => void;

/** Compiles the target of an assignment. */
function compileTarget(target: Target, context: Context): Store {
  if (target.kind === 'targets') return compileTargets(target.items, context);
  if (target.kind === 'namespace-attribute') return compileNamespaceTarget(target, context);
  const slot = context.scope.declare(target.name);
  return (value, render) => {
    render.variables[slot] = value;
  };
}

function compileTargets(targets: readonly Target[], context: Context): Store {
  const stores = targets.map((one) => compileTarget(one, context));
  return (value, render) => {
    render.charge(8 + 2 * stores.length);
    const values = iterate(value, render);
    if (values.length !== stores.length) typeFault(`cannot unpack ${values.length} values into ${stores.length} names`);
    for (const [at, store] of stores.entries()) store(values[at] ?? null, render);
  };
}

function compileNamespaceTarget(target: ByKind<Target>['namespace-attribute'], context: Context): Store {
  const namespace = compileExpression({ kind: 'name', name: target.namespace }, context);
  return (value, render) => {
    const owner = namespace(render);
    if (!(owner instanceof Namespace)) typeFault('cannot assign attribute on non-namespace object');
    owner.set(target.attribute, value);
  };
}
