import { FILTERS } from '../filters/filters.ts';
import { TESTS } from '../filters/jinja-tests.ts';
import type { Arguments, ByKind, Call, Expression, FilterUse } from '../syntax/tree.ts';
import { type Builtin, Callable, type CallArguments } from '../value/callable.ts';
import { Dict, Tuple } from '../value/collections.ts';
import { typeFault } from '../fault.ts';
import { attribute, item } from '../methods/lookup.ts';
import { applySign, OPERATIONS } from '../operators.ts';
import { slice } from '../value/slice.ts';
import { truthy, typeName } from '../value/inspect.ts';
import { Undefined } from '../value/undefined.ts';
import type { Value } from '../value/value.ts';
import { compileArguments } from './arguments.ts';
import { type Context, refuse } from './context.ts';
import { compileComparisons, compileConcatenation } from './operator-chains.ts';
import type { Evaluate, Render } from './render.ts';
import { unsupportedFilter } from './unsupported-filter.ts';
import { compileVariable } from './variable.ts';

type Expressions = ByKind<Expression>;

/** Compiles an expression into a function that returns its value. */
export function compileExpression(node: Expression, context: Context): Evaluate {
  return compileKind(node.kind, node, context);
}

function compileKind<Kind extends keyof Expressions>(kind: Kind, node: Expressions[Kind], context: Context): Evaluate {
  return COMPILERS[kind](node, context);
}

const COMPILERS: { readonly [Kind in keyof Expressions]: (node: Expressions[Kind], context: Context) => Evaluate } = {
  const:
    ({ value }) =>
    () =>
      value,
  name: ({ name }, context) => compileVariable(name, context),
  list: ({ items }, context) => {
    const values = items.map((one) => compileExpression(one, context));
    return (render) => {
      render.charge(2 + values.length);
      return values.map((one) => one(render));
    };
  },
  tuple: ({ items }, context) => {
    const values = items.map((one) => compileExpression(one, context));
    return (render) => {
      render.charge(3 + values.length);
      return new Tuple(values.map((one) => one(render)));
    };
  },
  dict: ({ pairs }, context) => {
    const entries = pairs.map(
      ({ key, value }) => [compileExpression(key, context), compileExpression(value, context)] as const,
    );
    return (render) => {
      const dict = new Dict();
      for (const [key, value] of entries) dict.set(key(render), value(render), render);
      return dict;
    };
  },
  attribute: ({ of, name }, context) => {
    const whole = compileExpression(of, context);
    return (render) => {
      render.charge(3);
      return attribute(whole(render), name, render);
    };
  },
  item: ({ of, key }, context) => compileItem(of, key, context),
  slice: () => refuse('a slice among several subscripts', 'Use one slice alone, as in value[1:3].'),
  call: (node, context) => compileCall(node, context),
  filter: (node, context) =>
    compileFilter(node, compileExpression(node.input ?? refuse('a filter without input', ''), context), context),
  test: ({ input, name, given }, context) => {
    const value = compileExpression(input, context);
    const builtin = TESTS.get(name) ?? refuse(`the test '${name}'`, 'It is not supported yet.');
    return applied(builtin, value, argumentsOf(given, context));
  },
  binary: ({ operator, left, right }, context) => {
    const [a, b] = [compileExpression(left, context), compileExpression(right, context)];
    const operate = OPERATIONS[operator];
    return (render) => {
      render.charge(4);
      return operate(a(render), b(render), render);
    };
  },
  unary: ({ operator, operand }, context) => {
    const value = compileExpression(operand, context);
    return (render) => {
      render.charge(2);
      return applySign(operator, value(render));
    };
  },
  not: ({ operand }, context) => {
    const value = compileExpression(operand, context);
    return (render) => {
      render.charge(1);
      return !truthy(value(render), render);
    };
  },
  and: (node, context) => compileLogical(node, false, context),
  or: (node, context) => compileLogical(node, true, context),
  compare: ({ first, rest }, context) =>
    compileComparisons(
      compileExpression(first, context),
      rest.map(({ operator, operand }) => ({ operator, operand: compileExpression(operand, context) })),
    ),
  concat: ({ parts }, context) => compileConcatenation(parts.map((one) => compileExpression(one, context))),
  conditional: ({ test, yes, no }, context) => {
    const branch = { ...context, onBranch: true };
    const condition = compileExpression(test, branch);
    const whenTrue = compileExpression(yes, branch);
    const whenFalse = no === undefined ? undefined : compileExpression(no, branch);
    return (render) => {
      render.charge(1);
      if (truthy(condition(render), render)) return whenTrue(render);
      return whenFalse === undefined ? new Undefined("an 'if' without 'else'", render) : whenFalse(render);
    };
  },
};

/** Compiles `and` and `or`, which return the left value if its truth decides the result. */
function compileLogical(node: Expressions['and' | 'or'], decisive: boolean, context: Context): Evaluate {
  const [left, right] = [compileExpression(node.left, context), compileExpression(node.right, context)];
  return (render) => {
    render.charge(1);
    const value = left(render);
    return truthy(value, render) === decisive ? value : right(render);
  };
}

/** Compiles a call; a call block passes its body as `caller`. */
export function compileCall(
  { callee, given }: Call,
  context: Context,
  { caller }: { readonly caller?: Evaluate } = {},
): Evaluate {
  if (callee.kind === 'name' && callee.name === 'lipsum')
    refuse("the function 'lipsum'", 'Write the text in the template.');
  const called = compileExpression(callee, context);
  const args = argumentsOf(given, context);
  const toCall = (render: Render): CallArguments => {
    const { positional, keywords } = args(render);
    if (caller === undefined) return { positional, keywords };
    return { positional, keywords: new Map([...keywords, ['caller', caller(render)]]) };
  };
  return (render) => {
    const target = called(render);
    if (target instanceof Callable) return target.call(toCall(render), render);
    if (target instanceof Undefined) return target.fail();
    return typeFault(`'${typeName(target)}' object is not callable`);
  };
}

function compileItem(of: Expression, key: Expression, context: Context): Evaluate {
  const whole = compileExpression(of, context);
  if (key.kind !== 'slice') {
    const at = compileExpression(key, context);
    return (render) => {
      render.charge(3);
      return item(whole(render), at(render), render);
    };
  }
  const compileBound = (bound: Expression | undefined): Evaluate =>
    bound === undefined ? () => null : compileExpression(bound, context);
  const [start, stop, step] = [compileBound(key.start), compileBound(key.stop), compileBound(key.step)];
  return (render) => {
    const value = whole(render);
    render.charge(8);
    if (value instanceof Undefined) return value.fail();
    const bounds = { start: start(render), stop: stop(render), step: step(render) };
    return slice(value, bounds, render) ?? typeFault(`'${typeName(value)}' object is not subscriptable`);
  };
}

/** Compiles a filter with its compiled input. */
export function compileFilter(node: FilterUse, input: Evaluate, context: Context): Evaluate {
  const filter = FILTERS.get(node.name);
  if (!context.filters.has(node.name)) {
    const failure = unsupportedFilter(node.name, context.filters);
    if (!context.onBranch) throw failure;
    return () => {
      throw failure;
    };
  }
  if (filter === undefined) return refuse(`the filter '${node.name}'`, 'It is not supported yet.');
  return applied(filter, input, argumentsOf(node.given, context));
}

function argumentsOf(given: Arguments, context: Context): (render: Render) => CallArguments {
  return compileArguments(given, (one) => compileExpression(one, context));
}

function applied(to: Builtin<Value>, input: Evaluate, args: (render: Render) => CallArguments): Evaluate {
  return (render) => {
    render.charge(8);
    const self = input(render);
    return to.call(self, args(render), render);
  };
}
