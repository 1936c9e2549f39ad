import type { TableRecord } from '@data-designer/dataset';
import { withDuckDb } from '../duck-db/with-duck-db.ts';
import { shuffledIndexSql } from './ordered-sql.ts';

/** Returns the row of a table's source, from 0, by the row of the plan; undefined where the record does not tell. */
export async function seedRows(
  { id, rows, taken }: TableRecord,
  seed: number,
): Promise<((planRow: number) => number) | undefined> {
  if (!taken) return undefined;
  const { order, first } = taken;
  if (order === 'ordered') return (planRow) => first + (planRow % rows);
  const found = await withDuckDb((connection) =>
    connection.runAndReadAll(shuffledIndexSql(id, taken.rows, { rows, seed })),
  );
  const indexes = Uint32Array.from(found.getColumns()[0] ?? [], Number);
  return (planRow) => first + (indexes[planRow % rows] ?? 0);
}
