type From = 'outside' | 'here';

/**
 * Tracks the names of one scope as Jinja2's compiler does: a name comes from outside if the scope reads it before storing
 * it, or stores it on some branches only. Source: `jinja2/idtracking.py`.
 */
export class ScopeNames {
  readonly #parent: ScopeNames | undefined;
  readonly #known: Map<string, From>;
  readonly #stored: Set<string>;

  constructor(parent?: ScopeNames, like?: ScopeNames) {
    this.#parent = parent;
    this.#known = new Map(like === undefined ? [] : like.#known);
    this.#stored = new Set(like === undefined ? [] : like.#stored);
  }

  declare(name: string): void {
    this.#known.set(name, 'here');
  }

  load(name: string): void {
    if (!this.#knows(name)) this.#known.set(name, 'outside');
  }

  store(name: string): void {
    this.#stored.add(name);
    if (!this.#known.has(name)) this.#known.set(name, 'here');
  }

  /** The same scope on one branch of a condition. */
  branch(): ScopeNames {
    return new ScopeNames(this.#parent, this);
  }

  /** Merges the branches of one condition. */
  join(branches: readonly ScopeNames[]): void {
    for (const branch of branches) for (const [name, from] of branch.#known) this.#known.set(name, from);
    const stored = new Set(branches.flatMap((branch) => [...branch.#stored]).filter((name) => !this.#stored.has(name)));
    for (const name of stored) {
      this.#stored.add(name);
      if (branches.every((branch) => branch.#stored.has(name))) continue;
      this.#known.set(name, this.#knownAround(name) ? 'here' : 'outside');
    }
  }

  /** The names that come from outside. */
  outside(): readonly string[] {
    return [...this.#known].filter(([, from]) => from === 'outside').map(([name]) => name);
  }

  #knows(name: string): boolean {
    return this.#known.has(name) || this.#knownAround(name);
  }

  #knownAround(name: string): boolean {
    return this.#parent !== undefined && this.#parent.#knows(name);
  }
}
