import type { ColumnRegistry } from '@data-designer/config';
import { messageFields, type Plan, type ShownAs } from '@data-designer/core';
import { type StateField, stateFields } from '@data-designer/environments/state-history';

/** A field of the records, and how it is shown. */
export interface LaidOutField {
  readonly name: string;
  readonly shown: ShownAs | { readonly as: 'value' };
  /** The states of environments that it has; none if absent. */
  readonly states?: readonly StateField[];
}

/** The fields of a dataset's records in order, shown as their column types say. */
export function recordLayout(
  { columns, fields }: Pick<Plan, 'columns' | 'fields'>,
  types: Pick<ColumnRegistry, 'get'>,
): readonly LaidOutField[] {
  const shown = new Map<string, LaidOutField['shown']>();
  for (const { name, config, writes } of columns) {
    shown.set(name, types.get(config.columnType)?.shownAs?.(config) ?? { as: 'value' });
    for (const { name: written, type } of writes) {
      if (written !== name && messageFields(type)) shown.set(written, { as: 'conversation' });
    }
  }
  const states = Map.groupBy(stateFields(columns), ({ field }) => field);
  return fields.map(({ name }) => {
    const own = states.get(name);
    return { name, shown: shown.get(name) ?? { as: 'value' }, ...(own && { states: own }) };
  });
}
