import { Fault, securityFault } from './fault.ts';
import { TemplateObject, type Value } from './value.ts';

/** How undefined values behave: `lenient` ones print nothing, `strict` ones end the render when they are looked at. */
export type Leniency = 'lenient' | 'strict';

/** What a lookup gives that finds nothing. */
export class Undefined extends TemplateObject {
  readonly typeName = 'Undefined';
  readonly what: string;
  readonly leniency: Leniency;
  readonly #unsafe: boolean;

  /** `unsafe` says that there is something which templates may not reach. */
  constructor(what: string, leniency: Leniency, unsafe = false) {
    super();
    this.what = what;
    this.leniency = leniency;
    this.#unsafe = unsafe;
  }

  /** Ends the render: this value was used where there must be one. */
  fail(): never {
    if (this.#unsafe) securityFault(`${this.what}, which templates may not reach`);
    throw new Fault('undefined', this.what);
  }

  /** Lets a lenient value pass and ends the render for a strict one. */
  failIfStrict(): void {
    if (this.leniency === 'strict') this.fail();
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
