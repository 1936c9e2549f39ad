import type { ColumnRegistry } from '@data-designer/config';
import { messageOf, type Plan, type PlannedColumn, printable, type Row } from '@data-designer/core';
import { type Opening, openingRenderer } from '@data-designer/profile';

/** What a prompt is rendered from. */
export interface PromptSource {
  readonly plan: Plan;
  readonly registry: ColumnRegistry;
  /** The cells of the row, those of dropped columns included where they are stored. */
  readonly row: Row;
  /** The row of the plan; 0 where it is not known. */
  readonly rowIndex: number;
}

/** Renders the prompt of a cell again. A text instead of a prompt says why that is not possible. */
export async function renderPrompt(column: PlannedColumn, source: PromptSource): Promise<Opening | string> {
  const { plan, registry, row, rowIndex } = source;
  const missing = column.reads.filter((name) => !(name in row));
  if (missing.length > 0) return `The prompt reads ${missing.join(', ')}, which the dataset does not store.`;
  const render = openingRenderer(column, plan, registry);
  if (!render) return 'The column asks its model from a function.';
  try {
    return (await render(withFloats(row, plan), rowIndex)) ?? 'The cell was made without a model.';
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/** The row with its values as templates print them. */
function withFloats(row: Row, { fields }: Plan): Row {
  const floats = fields.filter(({ name, type }) => type === 'float64' && name in row);
  return { ...row, ...Object.fromEntries(floats.map(({ name }) => [name, printable(row[name] ?? null, true)])) };
}
