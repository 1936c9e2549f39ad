import { targetNames } from '../syntax/references.ts';
import type { Statement } from '../syntax/tree.ts';

/** A run of slots: those of one part of a template and of all parts within it. */
export interface Slots {
  readonly from: number;
  readonly to: number;
}

/** The names that one part of a template stores itself, each with its slot among a render's variables. */
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

  /** The slot that the next new name of the template gets. */
  get next(): number {
    return this.#counter.next;
  }

  /** The slots in which a name may be found, innermost first. */
  slotsOf(name: string): readonly number[] {
    const outer = this.#parent?.slotsOf(name) ?? [];
    const own = this.#slots.get(name);
    return own === undefined ? outer : [own, ...outer];
  }

  /** The slots to clear when the part is entered. */
  get slots(): readonly number[] {
    return [...this.#slots.values()];
  }
}

/** Declares what these statements store in their own scope, branches included. */
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
