import { securityFault, typeFault } from '../fault.ts';
import type { Meter } from './meter.ts';
import { type Optional, TemplateObject, type Value } from './value.ts';

/** The arguments of one call. */
export interface CallArguments {
  readonly positional: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
}

/** A method, filter or test with Python's parameter rules. */
export interface Builtin<Self> {
  readonly name: string;
  readonly call: (self: Self, given: CallArguments, meter: Meter) => Value;
  /** Ends the render for arguments that no value accepts; a constant argument is given, and any other is null. */
  readonly accepts?: (given: CallArguments) => void;
}

/** The body of a builtin. Gets its arguments in the order of the parameters, undefined for those left out. */
export type Implementation<Self> = (self: Self, given: readonly Optional[], meter: Meter) => Value;

/** The arguments of a call without any. */
export const NO_CALL_ARGUMENTS: CallArguments = { positional: [], keywords: new Map() };

/** A table of builtins by name. */
export function byName<Self>(builtins: readonly Builtin<Self>[]): ReadonlyMap<string, Builtin<Self>> {
  return new Map(builtins.map((one) => [one.name, one]));
}

interface Signature {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly required: number;
  readonly takesKeywords: boolean;
}

/**
 * Declares a builtin by its signature, such as `replace(old, new, count?)`. A question mark marks an optional parameter,
 * a `/` at the end rules out keyword arguments.
 */
export function builtin<Self>(text: string, run: Implementation<Self>): Builtin<Self> {
  const signature = readSignature(text);
  return {
    name: signature.name,
    call: (self, given, meter) => run(self, bind(signature, given), meter),
    accepts: (given) => void bind(signature, given),
  };
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

/** Puts arguments into the order of the parameters; ends the render if they do not match. */
function bind(to: Signature, given: CallArguments): readonly Optional[] {
  const { name, parameters, required } = to;
  const { positional, keywords } = given;
  if (positional.length > parameters.length) {
    typeFault(`${name}() takes at most ${parameters.length} arguments (${positional.length} given)`);
  }
  if (keywords.size === 0 && positional.length >= required) return positional;
  const bound: Optional[] = [...positional];
  for (const [keyword, value] of keywords) {
    const at = to.takesKeywords ? parameters.indexOf(keyword) : -1;
    if (at < 0) typeFault(`${name}() got an unexpected keyword argument '${keyword}'`);
    if (bound[at] !== undefined) typeFault(`${name}() got multiple values for argument '${keyword}'`);
    bound[at] = value;
  }
  for (let at = 0; at < required; at++) {
    if (bound[at] === undefined) typeFault(`${name}() is missing the argument '${parameters[at]}'`);
  }
  return bound;
}

/** A function, method or macro: a template can only call it. */
export abstract class Callable extends TemplateObject {
  readonly typeName: string = 'builtin_function_or_method';
  /** How messages name it. */
  abstract readonly called: string;

  abstract call(given: CallArguments, meter: Meter): Value;

  print(): string {
    return securityFault(`${this.called} without calling it`);
  }
}

/** A method bound to its value. */
export class Method<Self> extends Callable {
  readonly #self: Self;
  readonly #builtin: Builtin<Self>;

  constructor(self: Self, method: Builtin<Self>) {
    super();
    this.#self = self;
    this.#builtin = method;
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

/** A function that reads its arguments itself. */
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
