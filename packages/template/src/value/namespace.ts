import type { Meter } from './meter.ts';
import { repr } from './print.ts';
import { quote } from './quote.ts';
import { TemplateObject, type Value } from './value.ts';

/** Named values that a loop can change: `namespace(found=false)`. */
export class Namespace extends TemplateObject {
  readonly typeName = 'Namespace';
  readonly #values: Map<string, Value>;

  constructor(values: Iterable<readonly [string, Value]>) {
    super();
    this.#values = new Map(values);
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }

  print(meter: Meter): string {
    const pairs = Array.from(this.#values, ([name, value]) => {
      meter.charge(1);
      return `${quote(name)}: ${repr(value, meter)}`;
    });
    return `<Namespace {${pairs.join(', ')}}>`;
  }

  override member(name: string): Value | undefined {
    return this.#values.get(name);
  }
}
