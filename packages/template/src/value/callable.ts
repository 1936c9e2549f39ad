import { securityFault, typeFault } from './fault.ts';
import type { Meter } from './meter.ts';
import { TemplateObject, type Value } from './value.ts';

/** The arguments of one call. */
export interface CallArguments {
  readonly positional: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
}

/** Something with Python's parameters: methods, filters and tests are all this. */
export interface Builtin<Self> {
  readonly name: string;
  readonly call: (self: Self, given: CallArguments, meter: Meter) => Value;
}

/** What runs: its arguments come in the order of its parameters, undefined where one was left out. */
export type Run<Self> = (self: Self, given: readonly (Value | undefined)[], meter: Meter) => Value;

/** No arguments at all. */
export const NO_CALL_ARGUMENTS: CallArguments = { positional: [], keywords: new Map() };

interface Signature {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly required: number;
  readonly takesKeywords: boolean;
}

/**
 * Declares one from its signature: `replace(old, new, count?)`. A question mark marks what may be left out, a `/` at the
 * end that keywords are not taken.
 */
export function builtin<Self>(text: string, run: Run<Self>): Builtin<Self> {
  const signature = readSignature(text);
  return { name: signature.name, call: (self, given, meter) => run(self, bind(signature, given), meter) };
}

function readSignature(text: string): Signature {
  const [name = '', inside = ''] = text.slice(0, -1).split('(');
  const words = inside.split(', ').filter((word) => word !== '');
  const parameters = words.filter((word) => word !== '/');
  return {
    name,
    parameters: parameters.map((parameter) => parameter.replace('?', '')),
    required: parameters.filter((parameter) => !parameter.endsWith('?')).length,
    takesKeywords: parameters.length === words.length,
  };
}

/** Lays arguments out in the order of the parameters; ends the render where they do not fit. */
function bind(to: Signature, given: CallArguments): readonly (Value | undefined)[] {
  const { name, parameters, required } = to;
  const { positional, keywords } = given;
  if (positional.length > parameters.length) {
    typeFault(`${name}() takes at most ${parameters.length} arguments (${positional.length} given)`);
  }
  if (keywords.size === 0 && positional.length >= required) return positional;
  const bound: (Value | undefined)[] = [...positional];
  for (const [keyword, value] of keywords) {
    const at = to.takesKeywords ? parameters.indexOf(keyword) : -1;
    if (at < 0) typeFault(`${name}() got an unexpected keyword argument '${keyword}'`);
    if (bound[at] !== undefined) typeFault(`${name}() got multiple values for argument '${keyword}'`);
    bound[at] = value;
  }
  for (let at = 0; at < required; at++) {
    if (bound[at] === undefined) typeFault(`${name}() misses the argument '${parameters[at]}'`);
  }
  return bound;
}

/** Something that a template can call and do nothing else with. */
export abstract class Callable extends TemplateObject {
  readonly typeName: string = 'builtin_function_or_method';
  abstract readonly called: string;

  abstract call(given: CallArguments, meter: Meter): Value;

  print(): string {
    return securityFault(`${this.called} without calling it`);
  }
}

/** A method of a value, looked up and not yet called. */
export class Method<Self> extends Callable {
  readonly #self: Self;
  readonly #builtin: Builtin<Self>;

  constructor(self: Self, of: Builtin<Self>) {
    super();
    this.#self = self;
    this.#builtin = of;
  }

  get called(): string {
    return `the method '${this.#builtin.name}'`;
  }

  call(given: CallArguments, meter: Meter): Value {
    meter.charge(12);
    if (typeof this.#self === 'string') meter.chargeScan(this.#self.length);
    return this.#builtin.call(this.#self, given, meter);
  }
}

/** A global or a method whose arguments have no fixed list. */
export class Variadic extends Callable {
  readonly called: string;
  readonly #run: (given: CallArguments, meter: Meter) => Value;

  constructor(called: string, run: (given: CallArguments, meter: Meter) => Value) {
    super();
    this.called = called;
    this.#run = run;
  }

  call(given: CallArguments, meter: Meter): Value {
    meter.charge(12);
    return this.#run(given, meter);
  }
}
