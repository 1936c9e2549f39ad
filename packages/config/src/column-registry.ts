import type { RegisteredColumn } from './define-column.ts';

/** The column types a configuration may use, by their `column_type`. */
export class ColumnRegistry {
  readonly #types: ReadonlyMap<string, RegisteredColumn>;

  constructor(types: readonly RegisteredColumn[]) {
    this.#types = new Map(types.map((type) => [type.type, type]));
  }

  get types(): readonly RegisteredColumn[] {
    return [...this.#types.values()];
  }

  get names(): readonly string[] {
    return [...this.#types.keys()];
  }

  get(type: string): RegisteredColumn | undefined {
    return this.#types.get(type);
  }
}
