import { DataDesignerError } from '@data-designer/core';
import type { PlainTable } from './read-plain-csv.ts';
import type { Copied, Copy } from './copy-ordered.ts';
import { takenRows } from './ordered-sql.ts';
import { storedFields } from './stored-fields.ts';
import { GROUP_ROWS, TableWriter } from './table-writer.ts';

/** Writes the rows of a plain table as `copyOrdered` would. */
export function copyPlain({ columns, fields, rows: all }: PlainTable, copy: Omit<Copy, 'table'>): Copied {
  const { source, run, destination } = copy;
  if (fields.some(({ name, type }, index) => name !== source.fields[index]?.name || type !== source.fields[index].type))
    throw new DataDesignerError('seed/unreadable', { source: source.rows.name, reason: 'its columns have changed' });
  const taken = takenRows(source.selection, all);
  const { first } = taken;
  const rows = Math.max(0, Math.min(taken.rows, run.rows, all - first));
  using writer = new TableWriter(destination, storedFields(fields), { isPacked: true });
  for (let at = first; at < first + rows; at += GROUP_ROWS) {
    const end = Math.min(at + GROUP_ROWS, first + rows);
    writer.write(columns.map((values) => values.slice(at, end)));
  }
  writer.finish();
  return { rows, taken: { first, rows } };
}
