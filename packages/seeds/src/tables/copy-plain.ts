import { DataDesignerError } from '@data-designer/core';
import type { PlainTable } from '../files/read-plain-csv.ts';
import type { Copy } from './copy-ordered.ts';
import { storedFields } from './stored-fields.ts';
import { GROUP_ROWS, TableWriter } from './table-writer.ts';

/** Writes the rows of a plain table as `copyOrdered` would; gives their number. */
export function copyPlain({ columns, fields, rows: all }: PlainTable, copy: Omit<Copy, 'table'>): number {
  const { source, run, destination } = copy;
  if (fields.some(({ name, type }, index) => name !== source.fields[index]?.name || type !== source.fields[index].type))
    throw new DataDesignerError('seed/unreadable', { source: source.rows.name, reason: 'its columns have changed' });
  const { first, count } = takenOf(source.selection, all);
  const rows = Math.max(0, Math.min(count, run.rows, all - first));
  using writer = new TableWriter(destination, storedFields(fields), { isPacked: true });
  for (let at = first; at < first + rows; at += GROUP_ROWS) {
    const end = Math.min(at + GROUP_ROWS, first + rows);
    writer.write(columns.map((values) => values.slice(at, end)));
  }
  writer.finish();
  return rows;
}

/** The rows of a selection: a range, a part (the last one with the remainder), or all. */
function takenOf(selection: Copy['source']['selection'], all: number): { first: number; count: number } {
  if (selection === null) return { first: 0, count: all };
  if ('end' in selection) return { first: selection.start, count: selection.end - selection.start + 1 };
  const { index, numPartitions } = selection;
  const size = Math.floor(all / numPartitions);
  return { first: index * size, count: index === numPartitions - 1 ? all - index * size : size };
}
