import type { CellValue, ColumnData, Constraint, GroupColumns } from '@data-designer/core';
import { printValue } from './convert-value.ts';

type Comparable = number | bigint | string;

const KEEPS: Readonly<Record<Constraint['operator'], (value: Comparable, rhs: Comparable) => boolean>> = {
  lt: (value, rhs) => value < rhs,
  le: (value, rhs) => value <= rhs,
  gt: (value, rhs) => value > rhs,
  ge: (value, rhs) => value >= rhs,
};

const SIGNS = { lt: '<', le: '<=', gt: '>', ge: '>=' } as const satisfies Record<Constraint['operator'], string>;

/** The numbers that satisfy all constraints of a row: `low` to `high`, exclusive if open. */
export interface Bounds {
  low: number;
  lowOpen: boolean;
  high: number;
  highOpen: boolean;
}

/** The constraints on one column, over a range of rows. */
export interface RowConstraints {
  /** Whether a value satisfies the constraints of the row at a position. */
  readonly keeps: (value: CellValue, position: number) => boolean;
  /** Describes the constraint that a value violates, with the other column's value. */
  readonly broken: (value: CellValue, position: number) => string;
  readonly bounds: (position: number) => Bounds;
}

const grouped = new WeakMap<readonly Constraint[], ReadonlyMap<string, readonly Constraint[]>>();

/** The constraints on a column. All constraints are grouped once, because each column may have one. */
export function constraintsOf(column: string, constraints: readonly Constraint[]): readonly Constraint[] {
  let byTarget = grouped.get(constraints);
  if (!byTarget) grouped.set(constraints, (byTarget = Map.groupBy(constraints, ({ targetColumn }) => targetColumn)));
  return byTarget.get(column) ?? [];
}

/** Prepares the constraints on a column; undefined if there are none. Times are compared in seconds. */
export function constraintsOn(
  column: string,
  constraints: readonly Constraint[],
): ((columns: GroupColumns) => RowConstraints) | undefined {
  const own = constraintsOf(column, constraints);
  return own.length === 0 ? undefined : (columns) => rowConstraints(column, own, columns);
}

function rowConstraints(column: string, constraints: readonly Constraint[], columns: GroupColumns): RowConstraints {
  const rules = constraints.map(({ operator, rhs }) => {
    const other = typeof rhs === 'string' ? (columns.times.get(rhs) ?? columns.written.get(rhs) ?? []) : undefined;
    const at = (position: number) => (other === undefined ? rhs : other[position]) as Comparable;
    const keeps = (value: CellValue, position: number) => KEEPS[operator](value as Comparable, at(position));
    return { operator, keeps, at, rhs };
  });
  return {
    keeps: (value, position) => rules.every(({ keeps }) => keeps(value, position)),
    broken: (value, position) => {
      const rule = rules.find(({ keeps }) => !keeps(value, position)) ?? rules.at(0);
      if (!rule) return column;
      const { operator, rhs } = rule;
      const printed = typeof rhs === 'string' ? ofColumn(rhs, columns.written.get(rhs), position) : String(rhs);
      return `${column} ${SIGNS[operator]} ${printed}`;
    },
    bounds: (position) => {
      const bounds = { low: -Infinity, lowOpen: false, high: Infinity, highOpen: false };
      for (const { operator, at } of rules) narrow(bounds, operator, Number(at(position)));
      return bounds;
    },
  };
}

function ofColumn(name: string, values: ColumnData | undefined, position: number): string {
  return `${name} (which is ${printValue(values?.[position] ?? null)})`;
}

/** Narrows bounds by an inequality. */
export function narrow(bounds: Bounds, operator: Constraint['operator'], rhs: number): void {
  const open = operator === 'lt' || operator === 'gt';
  if (operator === 'gt' || operator === 'ge') {
    if (rhs < bounds.low || (rhs === bounds.low && !open)) return;
    bounds.low = rhs;
    bounds.lowOpen = open;
  } else {
    if (rhs > bounds.high || (rhs === bounds.high && !open)) return;
    bounds.high = rhs;
    bounds.highOpen = open;
  }
}
