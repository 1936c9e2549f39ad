import type { CellValue, PlannedColumn, Row, Written } from '@data-designer/core';
import { compileSkip, pythonText } from '@data-designer/template';

/** When a column's cell is left out of a row, and what stands there then; compiled once a thread. */
export interface SkipRule {
  /** The positions of the columns after which it is left out too. */
  readonly after: readonly number[];
  /** Left out where this holds; undefined where the column has no rule of its own. */
  readonly when: ((row: Row) => boolean) | undefined;
  /** What the column and its side effects hold then. */
  readonly written: Written;
}

/**
 * The rules of columns that are in an order in which they can be made; undefined for a column that is made in every row.
 * A column is left out after those that it reads, side effects included, not after those that its rule alone asks.
 */
export function skipRules(columns: readonly PlannedColumn[]): readonly (SkipRule | undefined)[] {
  const rules: (SkipRule | undefined)[] = [];
  const makers = new Map<string, number>();
  columns.forEach(({ writes }, position) => writes.forEach(({ name }) => makers.set(name, position)));
  // A column's own name wins over the side effect of another.
  columns.forEach(({ name }, position) => makers.set(name, position));
  columns.forEach((column, position) => {
    const { skip, propagateSkip } = column.config;
    const read = propagateSkip ? column.reads.map((name) => makers.get(name)) : [];
    const after = read.filter((maker) => maker !== undefined && maker !== position && rules[maker] !== undefined);
    const when = skip ? compileSkip(skip.when) : undefined;
    const isRule = when !== undefined || after.length > 0;
    rules.push(isRule ? { after: [...new Set(after)] as number[], when, written: leftIn(column) } : undefined);
  });
  return rules;
}

/** Whether a rule leaves a cell out, given the columns that were left out of the row before; throws what its template does. */
export function leavesOut({ after, when }: SkipRule, row: Row, before: ReadonlySet<number>): boolean {
  return after.some((position) => before.has(position)) || (when?.(row) ?? false);
}

/** The value of the rule in the column, as text where that holds text; null in its side effects. */
function leftIn({ name, config: { skip }, writes }: PlannedColumn): Written {
  const value = skip?.value ?? null;
  return writes.map((field) => {
    if (field.name !== name) return null;
    return field.type === 'utf8' && field.json !== true ? textOf(value) : value;
  });
}

function textOf(value: CellValue): CellValue {
  return value === null || typeof value === 'string' ? value : pythonText(value);
}
