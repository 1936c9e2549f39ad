import { Fault, securityFault } from './fault.ts';
import { Thing, type Value } from './value.ts';

/** How undefined values behave: `lenient` ones print nothing, `strict` ones end the render when they are looked at. */
export type Leniency = 'lenient' | 'strict';

/** What a lookup gives that finds nothing. */
export class Undefined extends Thing {
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
  used(): never {
    if (this.#unsafe) securityFault(`${this.what}, which templates may not reach`);
    throw new Fault('undefined', this.what);
  }

  /** Lets a lenient value pass and ends the render for a strict one. */
  tolerated(): void {
    if (this.leniency === 'strict') this.used();
  }

  print(): string {
    this.tolerated();
    return 'Undefined';
  }

  override truthy(): boolean {
    this.tolerated();
    return false;
  }

  override size(): number {
    this.tolerated();
    return 0;
  }

  override items(): Iterable<Value> {
    this.tolerated();
    return [];
  }
}
