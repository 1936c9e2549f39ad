import type { ColumnProfile, Correlations } from '../dataset-profile.ts';
import type { TableStatistics } from '../table/table-statistics.ts';

/** Only the first columns are compared. */
const MAX_COLUMNS = 16;

/** The correlations of the numeric columns; null unless two of them vary. */
export async function correlate(
  statistics: TableStatistics,
  columns: readonly ColumnProfile[],
): Promise<Correlations | null> {
  const compared = columns.filter(varies).slice(0, MAX_COLUMNS);
  const names = compared.map(({ name }) => name);
  if (names.length < 2) return null;
  const pairs = compared.flatMap((a, row) => compared.slice(0, row).map((b) => [a, b] as const));
  const found = await statistics.correlations(pairs);
  const values = names.map((_, row) =>
    names.map((__, column) => {
      if (row === column) return 1;
      const [low, high] = row < column ? [row, column] : [column, row];
      return finiteOrNull(found[(high * (high - 1)) / 2 + low]);
    }),
  );
  return { columns: names, values };
}

/** Pearson's r of pairs of whole numbers; NaN if either does not vary. */
export function correlationOf(pairs: readonly (readonly [number, number])[]): number {
  const [a, b] = [fromMean(pairs.map(([one]) => one)), fromMean(pairs.map(([, other]) => other))];
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}

function product(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, one, at) => sum + one * (right[at] ?? 0), 0);
}

/** The distances of numbers from their mean; by way of the least, large numbers close together keep their digits. */
function fromMean(numbers: readonly number[]): readonly number[] {
  const least = numbers.reduce((low, one) => Math.min(low, one), Infinity);
  const mean = numbers.reduce((sum, one) => sum + (one - least), 0) / numbers.length;
  return numbers.map((one) => one - least - mean);
}

function varies({ numbers }: ColumnProfile): boolean {
  return typeof numbers === 'object' && numbers.max > numbers.min;
}

function finiteOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
