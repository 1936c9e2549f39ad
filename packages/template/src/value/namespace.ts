import { Thing, type Value } from './value.ts';

/** Named values that a loop may change: `namespace(found=false)`. */
export class Namespace extends Thing {
  readonly typeName = 'Namespace';
  readonly #values: Map<string, Value>;

  constructor(values: Iterable<readonly [string, Value]>) {
    super();
    this.#values = new Map(values);
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }

  print(): string {
    return '<Namespace>';
  }

  override member(name: string): Value | undefined {
    return this.#values.get(name);
  }
}
