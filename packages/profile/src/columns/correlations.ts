import { quotedName } from '@data-designer/seeds/duck-db';
import type { ColumnProfile, Correlations } from '../dataset-profile.ts';
import type { ProfiledTable } from '../table/profiled-table.ts';

/** Only the first columns are compared. */
const MAX_COLUMNS = 16;

/** The correlations of the numeric columns; null unless two of them vary. */
export async function correlate(table: ProfiledTable, columns: readonly ColumnProfile[]): Promise<Correlations | null> {
  const compared = columns.filter(varies).slice(0, MAX_COLUMNS);
  const names = compared.map(({ name }) => name);
  if (names.length < 2) return null;
  const pairs = compared.flatMap((a, row) => compared.slice(0, row).map((b) => [a, b] as const));
  const asked = pairs.map(([a, b]) => `corr(${measure(a)}, ${measure(b)})`);
  const found = await table.row(`SELECT ${asked.join(', ')} FROM t`);
  const values = names.map((_, row) =>
    names.map((__, column) => {
      if (row === column) return 1;
      const [low, high] = row < column ? [row, column] : [column, row];
      return finiteOrNull(found[(high * (high - 1)) / 2 + low]);
    }),
  );
  return { columns: names, values };
}

function varies({ numbers }: ColumnProfile): boolean {
  return typeof numbers === 'object' && numbers.max > numbers.min;
}

/** Integers count from the smallest of their column: large integers close together keep their digits. */
function measure({ name, dataType }: ColumnProfile): string {
  const column = quotedName(name);
  if (dataType === 'int') return `CAST(${column}::HUGEINT - (SELECT min(${column}) FROM t)::HUGEINT AS DOUBLE)`;
  const value = `CAST(${column} AS DOUBLE)`;
  return `CASE WHEN isfinite(${value}) THEN ${value} END`;
}

function finiteOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
