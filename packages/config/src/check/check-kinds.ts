import type { Surroundings } from '@data-designer/core';
import { addToColumn, type Check, isColumn, notAvailable } from './check.ts';

/** What only a column's kind can know: its own checks, and whether this version makes such columns. */
export function checkKinds(check: Check): void {
  const surroundings = surroundingsOf(check);
  for (const { column, type } of check.facts) {
    for (const finding of type.check?.(column as never, surroundings) ?? []) addToColumn(check, column.name, finding);
    if ('unmade' in type) {
      const what = `a column of type '${column.columnType}'`;
      addToColumn(check, column.name, { field: ['columnType'], ...notAvailable(what) });
    }
  }
}

/** The dataset around a column or a processor, for what only its kind can check. */
export function surroundingsOf(check: Check): Surroundings {
  return {
    templates: check.templates,
    constraints: check.constraints,
    columns: new Map(check.config.columns.map((column) => [column.name, column])),
    has: (name) => isColumn(check, name),
  };
}
