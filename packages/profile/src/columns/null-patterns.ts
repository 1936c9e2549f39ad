import { quotedName } from '@data-designer/seeds/duck-db';
import type { ColumnProfile, NullPattern } from '../dataset-profile.ts';
import type { ProfiledTable } from '../table/profiled-table.ts';

/** At most this many columns, those with the most nulls: each is a bit of an int64. */
const MAX_COLUMNS = 50;
const MAX_PATTERNS = 12;

/** Groups of columns that are null together, the most frequent first. */
export async function findNullPatterns(
  table: ProfiledTable,
  columns: readonly ColumnProfile[],
): Promise<readonly NullPattern[]> {
  const names = columns
    .filter(({ nulls }) => typeof nulls === 'number' && nulls > 0)
    .toSorted((a, b) => Number(b.nulls) - Number(a.nulls))
    .slice(0, MAX_COLUMNS)
    .map(({ name }) => name);
  if (names.length === 0) return [];
  const bits = names.map((name, bit) => `CASE WHEN ${quotedName(name)} IS NULL THEN ${2n ** BigInt(bit)} ELSE 0 END`);
  const rows = await table.rows(
    `SELECT pattern, count(*) AS n FROM (SELECT CAST(${bits.join(' + ')} AS BIGINT) AS pattern FROM t)
     WHERE pattern > 0 GROUP BY pattern ORDER BY n DESC, pattern LIMIT ${MAX_PATTERNS}`,
  );
  return rows.map(([pattern, count]) => ({
    columns: names.filter((_, bit) => (BigInt(String(pattern)) >> BigInt(bit)) % 2n === 1n),
    records: Number(count),
  }));
}
