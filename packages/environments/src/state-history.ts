import { type CellValue, isFields, parseJson, type PlannedColumn, tryParse } from '@data-designer/core';
import { stateChanges, type StateChanges } from './compare-states.ts';

/** A state of one environment in a field of the rows. */
interface StateSource {
  readonly field: string;
  /** The member of the field; null if the field is the state itself. */
  readonly member: string | null;
}

/** A field of the rows that shows an environment after a column. */
export interface StateField extends StateSource {
  /** The column that used the environment. */
  readonly column: string;
  readonly environment: string;
  /** The states that earlier columns left, the last one first. */
  readonly earlier: readonly StateSource[];
}

/** The state of an environment after a column, and what changed since an earlier one. */
export interface ShownState extends StateField {
  readonly after: CellValue;
  /** The field with the state before; null if the row has none. */
  readonly since: string | null;
  readonly before: CellValue;
  /** The changes from `before`; undefined without it. */
  readonly changed: StateChanges | undefined;
}

/** The states that the columns of a plan leave, in the order in which columns are made. */
export function stateFields(
  columns: readonly Pick<PlannedColumn, 'name' | 'environments' | 'writes'>[],
): readonly StateField[] {
  const left = new Map<string, readonly StateSource[]>();
  return columns.flatMap(({ name: column, environments = [], writes }): StateField[] => {
    const field = writes.at(-1)?.name;
    if (field === undefined) return [];
    return environments.map((environment) => {
      const source = { field, member: environments.length > 1 ? environment : null };
      const earlier = left.get(environment) ?? [];
      left.set(environment, [source, ...earlier]);
      return { ...source, column, environment, earlier };
    });
  });
}

/** The states of a row, each with its changes; those that a row lacks are left out. */
export function statesIn(row: Readonly<Record<string, unknown>>, fields: readonly StateField[]): readonly ShownState[] {
  return fields.flatMap((field): ShownState[] => {
    const after = stateAt(row, field);
    if (after === undefined) return [];
    const source = field.earlier.find((one) => stateAt(row, one) !== undefined);
    const before = source && stateAt(row, source);
    return [
      {
        ...field,
        after,
        since: source?.field ?? null,
        before: before ?? null,
        changed: before === undefined ? undefined : stateChanges(before, after),
      },
    ];
  });
}

/** A state in a row, which may hold it as JSON text; undefined for a column that left none. */
function stateAt(row: Readonly<Record<string, unknown>>, { field, member }: StateSource): CellValue | undefined {
  const value = row[field];
  const whole = typeof value === 'string' ? (tryParse(value, parseJson) ?? value) : value;
  const state: unknown = member === null ? whole : isFields(whole) ? whole[member] : undefined;
  return (state as CellValue | undefined) ?? undefined;
}
