import type { CategoryProfile } from '../dataset-profile.ts';
import { cutText, SHOWN_CHARACTERS } from '../table/first-texts.ts';
import type { ProfiledTable } from '../table/profiled-table.ts';

/** The values, in SQL. */
interface Categories {
  /** The text of a row's value; null is left out. */
  readonly text: string;
  /** A key that equal values share. */
  readonly key: string;
  readonly from?: string;
  /** How many values are listed. */
  readonly limit: number;
}

/** The most frequent values, ties in the order of their texts; undefined if all are null. */
export async function profileCategories(
  table: ProfiledTable,
  { text, key, from = 't', limit }: Categories,
): Promise<CategoryProfile | undefined> {
  const values = `SELECT left(min(${text}), ${SHOWN_CHARACTERS + 1}) AS value, count(*) AS n FROM ${from}
    WHERE (${text}) IS NOT NULL GROUP BY ${key}`;
  const rows = await table.rows(`SELECT value, n FROM (${values}) ORDER BY n DESC, value LIMIT ${limit}`);
  if (rows.length === 0) return undefined;
  const counted = rows.map(([value, count]) => ({ value: String(value), records: Number(count) }));
  if (rows.length < limit) return profileOf(counted, counted);
  const [least, records] = await table.row(`SELECT arg_min(value, (n, value)), sum(n) FROM (${values})`);
  return shownOf(counted, { least: String(least), records: Number(records) });
}

/** The same for texts in memory. */
export function categoriesOf(texts: Iterable<string>, limit: number): CategoryProfile | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  if (counts.size === 0) return undefined;
  const values = [...counts].map(([value, records]) => ({ value, records, bytes: Buffer.from(value) }));
  // Ties in the order of their bytes, as DuckDB has them.
  const ordered = values.toSorted((a, b) => b.records - a.records || Buffer.compare(a.bytes, b.bytes));
  return profileOf(ordered.slice(0, limit), ordered);
}

/** The profile of the most frequent values, given all of them in that order. */
function profileOf(top: CategoryProfile['top'], all: CategoryProfile['top']): CategoryProfile {
  const fewest = all.at(-1)?.records;
  const least = all.find(({ records }) => records === fewest)?.value ?? '';
  return shownOf(top, { least, records: totalOf(all) });
}

function shownOf(
  top: CategoryProfile['top'],
  { least, records }: { readonly least: string; readonly records: number },
): CategoryProfile {
  const shown = top.map(({ value, records: own }) => ({ value: cutText(value), records: own }));
  return { top: shown, least: cutText(least), otherRecords: records - totalOf(top) };
}

function totalOf(values: CategoryProfile['top']): number {
  return values.reduce((sum, { records }) => sum + records, 0);
}
