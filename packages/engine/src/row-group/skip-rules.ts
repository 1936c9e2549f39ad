import type { CellValue, PlannedColumn, Row, WrittenValues } from '@data-designer/core';
import { compileSkip, type DecideSkip, pythonText } from '@data-designer/template';

/** When the cell of a column is skipped, and its values then; compiled once per thread. */
export interface SkipRule {
  /** Positions of the columns whose skip propagates to this one. */
  readonly after: readonly number[];
  /** The column's own condition; undefined where it has none. */
  readonly when: DecideSkip | undefined;
  /** The values of a skipped cell and its side effects. */
  readonly written: WrittenValues;
}

/**
 * The skip rules of columns in an order in which they can be made; undefined for a column that is never skipped. Skips
 * propagate from the columns that a column reads, side effects included, but not from those that only its condition reads.
 */
export function skipRules(columns: readonly PlannedColumn[]): readonly (SkipRule | undefined)[] {
  const rules: (SkipRule | undefined)[] = [];
  const writers = new Map<string, number>();
  columns.forEach(({ writes }, position) => writes.forEach(({ name }) => writers.set(name, position)));
  // A column's own name wins over the side effect of another.
  columns.forEach(({ name }, position) => writers.set(name, position));
  columns.forEach((column, position) => {
    const { skip, propagateSkip } = column.config;
    const read = new Set(propagateSkip ? column.reads.map((name) => writers.get(name) ?? position) : []);
    const after = [...read].filter((at) => at !== position && rules[at] !== undefined);
    const when = skip ? compileSkip(skip.when) : undefined;
    const isRule = when !== undefined || after.length > 0;
    rules.push(isRule ? { after, when, written: skippedCells(column) } : undefined);
  });
  return rules;
}

/** The row of a cell that may be skipped. */
interface SkippableRow {
  readonly row: Row;
  /** The positions skipped in the row so far. */
  readonly skipped: ReadonlySet<number>;
  /** Gets why a condition cannot be decided for the row. */
  readonly onFault: (reason: string) => void;
}

/** Whether a rule skips a cell; throws the errors of its template. */
export function isSkipped({ after, when }: SkipRule, { row, skipped, onFault }: SkippableRow): boolean {
  return after.some((position) => skipped.has(position)) || (when?.(row, onFault) ?? false);
}

/** The rule's value in the column, as text where the column holds text; null in its side effects. */
function skippedCells({ name, config: { skip }, writes }: PlannedColumn): WrittenValues {
  const value = skip?.value ?? null;
  return writes.map((field) => {
    if (field.name !== name) return null;
    return field.type === 'utf8' && field.json !== true ? textOf(value) : value;
  });
}

function textOf(value: CellValue): CellValue {
  return value === null || typeof value === 'string' ? value : pythonText(value);
}
