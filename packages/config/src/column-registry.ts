import type { ColumnType } from '@data-designer/core';
import type { ColumnSchema, RegisteredColumn } from './define-column.ts';

/** A column type seen from outside, where its own config type is not known. */
export type AnyColumnType = ColumnType<never, ColumnSchema>;

/** The column types a configuration may use, by their `column_type`. */
export class ColumnRegistry {
  readonly #types: ReadonlyMap<string, AnyColumnType>;

  constructor(types: readonly RegisteredColumn[]) {
    this.#types = new Map(types.map((type) => [type.type, type]));
  }

  get names(): readonly string[] {
    return [...this.#types.keys()];
  }

  get(type: string): AnyColumnType | undefined {
    return this.#types.get(type);
  }
}
