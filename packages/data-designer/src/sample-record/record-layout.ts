import { columnTypes } from '@data-designer/columns';
import type { ColumnConfig, ColumnType, Plan, ShownAs } from '@data-designer/core';

/** One field of the records, and what it is to the eye. */
export interface LaidOutField {
  readonly name: string;
  readonly shown: ShownAs | { readonly as: 'value' | 'conversation' };
}

const TRACE = '__trace';

/** What the fields of a dataset's records are to the eye, in their order. */
export function recordLayout({ columns, fields }: Pick<Plan, 'columns' | 'fields'>): readonly LaidOutField[] {
  const shown = new Map<string, LaidOutField['shown']>();
  for (const { name, config, writes } of columns) {
    shown.set(name, shownAs(config));
    for (const { name: written } of writes) {
      if (written !== name && written.endsWith(TRACE)) shown.set(written, { as: 'conversation' });
    }
  }
  return fields.map(({ name }) => ({ name, shown: shown.get(name) ?? { as: 'value' } }));
}

const BUILT_IN: ReadonlyMap<string, ColumnType<never>> = new Map(
  columnTypes.map((one) => [one.type, one as unknown as ColumnType<never>]),
);

function shownAs(config: ColumnConfig): LaidOutField['shown'] {
  return BUILT_IN.get(config.columnType)?.shownAs?.(config as never) ?? { as: 'value' };
}
