import { Variadic } from './callable.ts';
import { equal } from './equal.ts';
import { typeFault } from './fault.ts';
import type { Meter } from './meter.ts';
import { Undefined } from './undefined.ts';
import { Thing, type Value } from './value.ts';

/** The variable `loop`. */
export class LoopState extends Thing {
  readonly typeName = 'LoopContext';
  readonly #values: readonly Value[];
  readonly #depth: number;
  readonly #leniency: 'lenient' | 'strict';
  #at = 0;
  #last: readonly Value[] | undefined;

  constructor(values: readonly Value[], depth: number, leniency: 'lenient' | 'strict') {
    super();
    this.#values = values;
    this.#depth = depth;
    this.#leniency = leniency;
  }

  advance(): void {
    this.#at += 1;
  }

  print(): string {
    return `<LoopContext ${this.#at + 1}/${this.#values.length}>`;
  }

  override size(): number {
    return this.#values.length;
  }

  override member(name: string): Value | undefined {
    const at = this.#at;
    const { length } = this.#values;
    switch (name) {
      case 'index':
        return at + 1;
      case 'index0':
        return at;
      case 'revindex':
        return length - at;
      case 'revindex0':
        return length - at - 1;
      case 'first':
        return at === 0;
      case 'last':
        return at === length - 1;
      case 'length':
        return length;
      case 'depth':
        return this.#depth;
      case 'depth0':
        return this.#depth - 1;
      case 'previtem':
        return this.#neighbour(at - 1, 'previous');
      case 'nextitem':
        return this.#neighbour(at + 1, 'next');
      case 'cycle':
        return new Variadic("the method 'cycle'", ({ positional }) =>
          positional.length === 0
            ? typeFault('no items for cycling given')
            : (positional[at % positional.length] as Value),
        );
      case 'changed':
        return new Variadic("the method 'changed'", ({ positional }, meter) => this.#changed(positional, meter));
      default:
        return undefined;
    }
  }

  #neighbour(at: number, which: string): Value {
    return this.#values[at] ?? (at in this.#values ? null : new Undefined(`there is no ${which} item`, this.#leniency));
  }

  #changed(values: readonly Value[], meter: Meter): boolean {
    const before = this.#last;
    if (before !== undefined && equal(before, values, meter)) return false;
    this.#last = values;
    return true;
  }
}
