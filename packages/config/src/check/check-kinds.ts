import type { Surroundings } from '@data-designer/core';
import { addToColumn, type Check, isColumn } from './check.ts';

/** What only a column's kind can know. */
export function checkKinds(check: Check): void {
  const surroundings = surroundingsOf(check);
  for (const { column, type } of check.facts) {
    for (const finding of type.check?.(column as never, surroundings) ?? []) addToColumn(check, column.name, finding);
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
