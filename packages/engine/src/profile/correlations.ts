import { quotedName } from '../seed/seed-table.ts';
import type { ColumnProfile, Correlations } from './dataset-profile.ts';
import type { ProfiledTable } from './profiled-table.ts';

/** So many columns at most are held against each other, the first ones. */
const MAX_COLUMNS = 16;

/** How strongly the columns of numbers go together; null where there are no two of them that vary. */
export async function correlate(table: ProfiledTable, columns: readonly ColumnProfile[]): Promise<Correlations | null> {
  const names = columns
    .filter(varies)
    .slice(0, MAX_COLUMNS)
    .map(({ name }) => name);
  if (names.length < 2) return null;
  const pairs = names.flatMap((a, row) => names.slice(0, row).map((b) => [a, b] as const));
  const asked = pairs.map(([a, b]) => `corr(${finite(a)}, ${finite(b)})`);
  const found = (await table.row(`SELECT ${asked.join(', ')} FROM t`)) as readonly (number | null)[];
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

function finite(name: string): string {
  const value = `CAST(${quotedName(name)} AS DOUBLE)`;
  return `CASE WHEN isfinite(${value}) THEN ${value} END`;
}

function finiteOrNull(value: number | null | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
