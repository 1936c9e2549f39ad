import type { CategoryProfile } from '../dataset-profile.ts';
import type { AnswerRow, ProfiledTable } from '../table/profiled-table.ts';

/** Longer values are cut. */
const SHOWN_CHARACTERS = 200;

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
  const [least, records] =
    rows.length < limit ? leastOf(rows) : await table.row(`SELECT arg_min(value, (n, value)), sum(n) FROM (${values})`);
  const top = rows.map(([value, count]) => ({ value: shown(String(value)), records: Number(count) }));
  const listed = top.reduce((sum, one) => sum + one.records, 0);
  return { top, least: shown(String(least)), otherRecords: Number(records) - listed };
}

/** The same for texts in memory. */
export function categoriesOf(texts: Iterable<string>, limit: number): CategoryProfile | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  // Ties in the order of their bytes, as DuckDB has them.
  const rows = [...counts].map(([text, count]) => ({
    row: [text, count] as AnswerRow,
    count,
    bytes: Buffer.from(text),
  }));
  const ordered = rows.toSorted((a, b) => b.count - a.count || Buffer.compare(a.bytes, b.bytes)).map(({ row }) => row);
  if (ordered.length === 0) return undefined;
  const [least, records] = leastOf(ordered);
  const top = ordered
    .slice(0, limit)
    .map(([value, count]) => ({ value: shown(String(value)), records: Number(count) }));
  const listed = top.reduce((sum, one) => sum + one.records, 0);
  return { top, least: shown(String(least)), otherRecords: Number(records) - listed };
}

/** The least frequent value and the number of records, where all values are listed. */
function leastOf(rows: readonly AnswerRow[]): AnswerRow {
  const fewest = rows.at(-1)?.[1];
  const least = rows.find(([, count]) => count === fewest);
  return [least?.[0], rows.reduce((sum, [, count]) => sum + Number(count), 0)];
}

function shown(value: string): string {
  return value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}…` : value;
}
