import { securityFault } from './fault.ts';
import { TemplateObject, type Value } from './value.ts';

/** What Python's iterators are to a template: something to go through once. */
export class OneTimeIterable extends TemplateObject {
  readonly typeName = 'generator';
  #values: readonly Value[];

  constructor(values: readonly Value[]) {
    super();
    this.#values = values;
  }

  print(): never {
    return securityFault('an iterator as text; add the filter list');
  }

  override items(): readonly Value[] {
    const values = this.#values;
    this.#values = [];
    return values;
  }
}
