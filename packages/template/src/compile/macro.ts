import { childrenOf } from '../syntax/tree-walk.ts';
import type { Node, Signature, Statement } from '../syntax/tree.ts';
import { Callable, type CallArguments } from '../value/callable.ts';
import { Dict, Tuple } from '../value/collections.ts';
import { typeFault } from '../fault.ts';
import { Undefined } from '../value/undefined.ts';
import type { Optional, Value } from '../value/value.ts';
import type { Context } from './context.ts';
import { compileExpression } from './expression.ts';
import type { Evaluate, Execute, Render } from './render.ts';
import { declareStored, Scope, type SlotRange } from './scope.ts';

/** The parts of a macro's source. */
export interface MacroSource {
  readonly name: string;
  readonly signature: Signature;
  readonly body: readonly Statement[];
}

interface Parameter {
  readonly name: string;
  readonly slot: number;
  readonly otherwise: Evaluate | undefined;
}

/** A compiled macro. */
interface CompiledMacro {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** The slots of `caller`, `varargs` and `kwargs`; undefined if the body does not read them. */
  readonly special: Readonly<Record<Special, number | undefined>>;
  readonly slots: SlotRange;
  readonly run: Execute;
}

type Special = 'caller' | 'varargs' | 'kwargs';

/** A macro in one render; a call returns the text it writes. */
class Macro extends Callable {
  readonly called: string;
  readonly #macro: CompiledMacro;
  readonly #render: Render;

  constructor(macro: CompiledMacro, render: Render) {
    super();
    this.called = `the macro '${macro.name}'`;
    this.#macro = macro;
    this.#render = render;
  }

  call(given: CallArguments): Value {
    const macro = this.#macro;
    return this.#render.captureCall(macro.slots, () => {
      bind(macro, given, this.#render);
      macro.run(this.#render);
    });
  }

  override member(name: string): Optional {
    const { name: own, parameters, special } = this.#macro;
    if (name === 'name') return own;
    if (name === 'arguments') return new Tuple(parameters.map((one) => one.name));
    if (name === 'catch_kwargs') return special.kwargs !== undefined;
    if (name === 'catch_varargs') return special.varargs !== undefined;
    return name === 'caller' ? special.caller !== undefined : undefined;
  }
}

/** Compiles a macro into a function that creates it for a render. */
export function compileMacro(
  source: MacroSource,
  context: Context,
  statements: (body: readonly Statement[], context: Context) => Execute,
): Evaluate {
  const { name, signature, body } = source;
  const scope = new Scope(context.scope);
  const from = scope.next;
  const within: Context = { ...context, scope, onBranch: false };
  const offset = signature.parameters.length - signature.defaults.length;
  const parameters = signature.parameters.map((parameter, at): Parameter => {
    const otherwise = signature.defaults[at - offset];
    const slot = scope.declare(parameter.name);
    return { name: parameter.name, slot, otherwise: otherwise && compileExpression(otherwise, within) };
  });
  const slotOf = (special: Special): number | undefined => {
    if (parameters.some((one) => one.name === special) || !namesIn(body, special)) return undefined;
    return scope.declare(special);
  };
  const special = { caller: slotOf('caller'), varargs: slotOf('varargs'), kwargs: slotOf('kwargs') };
  declareStored(scope, body);
  const run = statements(body, within);
  const macro: CompiledMacro = { name, parameters, special, slots: { from, to: scope.next }, run };
  return (render) => new Macro(macro, render);
}

function namesIn(nodes: readonly Node[], name: string): boolean {
  return nodes.some((node) => (node.kind === 'name' ? node.name === name : namesIn(childrenOf(node), name)));
}

/** Stores the arguments of one call; ends the render if they do not match the parameters. */
function bind(macro: CompiledMacro, given: CallArguments, render: Render): void {
  const { name, parameters, special } = macro;
  const keywords = new Map(given.keywords);
  for (const [at, { name: parameter, slot, otherwise }] of parameters.entries()) {
    let value = given.positional[at];
    if (value === undefined) {
      value = keywords.get(parameter);
      keywords.delete(parameter);
    }
    if (value === undefined) {
      value = otherwise === undefined ? new Undefined(`the parameter '${parameter}'`, render) : otherwise(render);
    }
    render.variables[slot] = value;
  }
  if (special.caller !== undefined) {
    render.variables[special.caller] = keywords.get('caller') ?? new Undefined('caller', render);
    keywords.delete('caller');
  }
  const rest = given.positional.slice(parameters.length);
  if (special.varargs !== undefined) render.variables[special.varargs] = new Tuple(rest);
  else if (rest.length > 0) typeFault(`macro '${name}' takes at most ${parameters.length} arguments`);
  if (special.kwargs !== undefined) render.variables[special.kwargs] = Dict.of(keywords, render);
  else for (const [keyword] of keywords) typeFault(`macro '${name}' takes no keyword argument '${keyword}'`);
}
