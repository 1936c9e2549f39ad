import { Fault, securityFault } from '../fault.ts';
import type { Meter } from './meter.ts';
import { TemplateObject, type Value } from './value.ts';

/** The result of a lookup that finds nothing. In a strict dialect, printing, testing or iterating it ends the render. */
export class Undefined extends TemplateObject {
  readonly typeName = 'Undefined';
  readonly #name: string;
  readonly #isStrict: boolean;
  readonly #isHidden: boolean;

  /** `isHidden` says that the name exists in Python but templates may not reach it. */
  constructor(name: string, meter: Meter, isHidden = false) {
    super();
    this.#name = name;
    this.#isStrict = meter.dialect.strictUndefined;
    this.#isHidden = isHidden;
  }

  /** Ends the render, because the template needs a value here. */
  fail(): never {
    if (this.#isHidden) securityFault(`${this.#name}, a hidden attribute`);
    throw new Fault('undefined', this.#name);
  }

  /** Ends the render in a strict dialect. */
  failIfStrict(): void {
    if (this.#isStrict) this.fail();
  }

  print(): string {
    this.failIfStrict();
    return 'Undefined';
  }

  override truthy(): boolean {
    this.failIfStrict();
    return false;
  }

  override size(): number {
    this.failIfStrict();
    return 0;
  }

  override items(): Iterable<Value> {
    this.failIfStrict();
    return [];
  }
}
