import type { ColumnProfile, NullPattern } from '../dataset-profile.ts';
import type { TableStatistics } from '../table/table-statistics.ts';

/** At most this many columns, those with the most nulls: each is a bit of an int64. */
const MAX_COLUMNS = 50;
const MAX_PATTERNS = 12;

/** Groups of columns that are null together, the most frequent first. */
export async function findNullPatterns(
  statistics: TableStatistics,
  columns: readonly ColumnProfile[],
): Promise<readonly NullPattern[]> {
  const names = columns
    .filter(({ nulls }) => typeof nulls === 'number' && nulls > 0)
    .toSorted((a, b) => Number(b.nulls) - Number(a.nulls))
    .slice(0, MAX_COLUMNS)
    .map(({ name }) => name);
  if (names.length === 0) return [];
  const patterns = await statistics.nullPatterns(names, MAX_PATTERNS);
  return patterns.map(([pattern, records]) => ({
    columns: names.filter((_, bit) => (pattern >> BigInt(bit)) % 2n === 1n),
    records,
  }));
}
