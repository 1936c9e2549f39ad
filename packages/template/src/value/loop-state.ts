import { Callable, type CallArguments, Variadic } from './callable.ts';
import { equal } from './equal.ts';
import { typeFault } from '../fault.ts';
import type { Meter } from './meter.ts';
import { Undefined } from './undefined.ts';
import type { Optional, Value } from './value.ts';

/** Properties of a loop; `again` renders a recursive loop for other values. */
export interface LoopOptions {
  readonly depth: number;
  readonly meter: Meter;
  readonly again: ((values: Value) => Value) | undefined;
}

/** Members of `loop` that depend on the index and the number of values. */
const COUNTERS = new Map<string, (at: number, length: number) => Value>([
  ['index', (at) => at + 1],
  ['index0', (at) => at],
  ['revindex', (at, length) => length - at],
  ['revindex0', (at, length) => length - at - 1],
  ['first', (at) => at === 0],
  ['last', (at, length) => at === length - 1],
  ['length', (_at, length) => length],
]);

/** The variable `loop`. */
export class LoopState extends Callable {
  override readonly typeName = 'LoopContext';
  readonly called = 'the loop';
  readonly #values: readonly Value[];
  readonly #options: LoopOptions;
  #at = 0;
  #last: readonly Value[] | undefined;

  constructor(values: readonly Value[], options: LoopOptions) {
    super();
    this.#values = values;
    this.#options = options;
  }

  call({ positional }: CallArguments): Value {
    const [values] = positional;
    if (this.#options.again === undefined) typeFault('the loop must be marked recursive to be called');
    if (values === undefined || positional.length > 1) return typeFault('loop() takes one argument');
    return this.#options.again(values);
  }

  advance(): void {
    this.#at += 1;
  }

  override print(): string {
    return `<LoopContext ${this.#at + 1}/${this.#values.length}>`;
  }

  override size(): number {
    return this.#values.length;
  }

  override member(name: string): Optional {
    const at = this.#at;
    const counter = COUNTERS.get(name);
    if (counter !== undefined) return counter(at, this.#values.length);
    switch (name) {
      case 'depth':
        return this.#options.depth;
      case 'depth0':
        return this.#options.depth - 1;
      case 'previtem':
        return this.#neighbour(at - 1, 'previous');
      case 'nextitem':
        return this.#neighbour(at + 1, 'next');
      case 'cycle':
        return new Variadic("the method 'cycle'", ({ positional }) =>
          positional.length === 0
            ? typeFault('no items for cycling given')
            : (positional[at % positional.length] ?? null),
        );
      case 'changed':
        return new Variadic("the method 'changed'", ({ positional }, meter) => this.#changed(positional, meter));
      default:
        return undefined;
    }
  }

  #neighbour(at: number, which: string): Value {
    return (
      this.#values[at] ?? (at in this.#values ? null : new Undefined(`there is no ${which} item`, this.#options.meter))
    );
  }

  #changed(values: readonly Value[], meter: Meter): boolean {
    const before = this.#last;
    if (before !== undefined && equal(before, values, meter)) return false;
    this.#last = values;
    return true;
  }
}
