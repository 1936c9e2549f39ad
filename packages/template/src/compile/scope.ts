import { targetNames } from '../syntax/references.ts';
import type { Statement } from '../syntax/tree.ts';

/** The slots of one part of a template and of all parts within it. */
export interface SlotRange {
  readonly from: number;
  readonly to: number;
}

/** The names that one part of a template stores, each with its slot in a render's variables. */
export class Scope {
  readonly #parent: Scope | undefined;
  readonly #slots = new Map<string, number>();
  readonly #counter: { next: number };

  constructor(parent?: Scope) {
    this.#parent = parent;
    this.#counter = parent === undefined ? { next: 0 } : parent.#counter;
  }

  declare(name: string): number {
    const known = this.#slots.get(name);
    if (known !== undefined) return known;
    const slot = this.#counter.next++;
    this.#slots.set(name, slot);
    return slot;
  }

  /** The slot of the template's next new name. */
  get next(): number {
    return this.#counter.next;
  }

  /** The slots that may hold a name, innermost first. */
  slotsOf(name: string): readonly number[] {
    const outer = this.#parent?.slotsOf(name) ?? [];
    const own = this.#slots.get(name);
    return own === undefined ? outer : [own, ...outer];
  }

  /** The slots to clear on entry. */
  get slots(): readonly number[] {
    return [...this.#slots.values()];
  }
}

/** Declares the names that statements store in their own scope, including branches. */
export function declareStored(scope: Scope, statements: readonly Statement[]): void {
  for (const statement of statements) {
    if (statement.kind === 'set' || statement.kind === 'set-block') {
      for (const name of targetNames(statement.target)) scope.declare(name);
    } else if (statement.kind === 'macro') {
      scope.declare(statement.name);
    } else if (statement.kind === 'if') {
      declareStored(scope, [...statement.body, ...statement.elifs, ...statement.otherwise]);
    }
  }
}
