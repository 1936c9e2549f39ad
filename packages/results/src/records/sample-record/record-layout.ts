import type { ColumnRegistry } from '@data-designer/config';
import type { Plan, ShownAs } from '@data-designer/core';

/** A field of the records, and how it is shown. */
export interface LaidOutField {
  readonly name: string;
  readonly shown: ShownAs | { readonly as: 'value' | 'conversation' };
}

const TRACE = '__trace';

/** The fields of a dataset's records in order, shown as their column types say. */
export function recordLayout(
  { columns, fields }: Pick<Plan, 'columns' | 'fields'>,
  types: Pick<ColumnRegistry, 'get'>,
): readonly LaidOutField[] {
  const shown = new Map<string, LaidOutField['shown']>();
  for (const { name, config, writes } of columns) {
    shown.set(name, types.get(config.columnType)?.shownAs?.(config) ?? { as: 'value' });
    for (const { name: written } of writes) {
      if (written !== name && written.endsWith(TRACE)) shown.set(written, { as: 'conversation' });
    }
  }
  return fields.map(({ name }) => ({ name, shown: shown.get(name) ?? { as: 'value' } }));
}
