import { z } from 'zod';
import { defineProcessor, fixedProcessorFields } from '../define-processor.ts';
import { isPattern, matchesPattern } from '../name-pattern.ts';

/** Leaves columns, side effects of others included, out of the written table. */
export const dropColumns = defineProcessor({
  type: 'drop_columns',
  schema: z.strictObject({
    ...fixedProcessorFields('drop_columns', 'Leaves columns out of the dataset.'),
    columnNames: z.array(z.string()).describe('Names of the columns to leave out; `*` in a name stands for any text.'),
  }),
  stage: 'post_batch',
  drops: ({ columnNames }, column) => dropListOf(columnNames)(column),
});

/** The compiled drop lists: a list may be as long as the dataset is wide. */
const dropLists = new WeakMap<readonly string[], (column: string) => boolean>();

/** The columns that a drop list names, by name or by pattern. */
export function dropListOf(entries: readonly string[]): (column: string) => boolean {
  const known = dropLists.get(entries);
  if (known) return known;
  const names = new Set(entries);
  const patterns = entries.filter(isPattern);
  const drops = (column: string): boolean =>
    names.has(column) || patterns.some((entry) => matchesPattern(column, entry));
  dropLists.set(entries, drops);
  return drops;
}
