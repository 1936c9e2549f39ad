import type { ColumnConfig } from '@data-designer/core';
import type { ColumnRegistry } from './column-registry.ts';
import { readForm } from './read-form.ts';
import type { SelectConfig } from './schemas/select-config.ts';

/** The column that holds the result of `select.where`; the dataset has it only where refused rows are kept. */
export const WHERE_COLUMN = '_select_where';

/** The condition of a selection as the template of an expression column. */
export function whereTemplate(where: string): string {
  return `{% if ${where} %}True{% else %}False{% endif %}`;
}

/** The expression column that decides `select.where`; undefined without a condition. */
export function whereColumn(select: SelectConfig | undefined, registry: ColumnRegistry): ColumnConfig | undefined {
  const type = registry.get('expression');
  if (!select?.where || !type) return undefined;
  const column = { name: WHERE_COLUMN, column_type: 'expression', expr: whereTemplate(select.where), dtype: 'bool' };
  return type.schema.parse(readForm(type.schema, column)) as unknown as ColumnConfig;
}
