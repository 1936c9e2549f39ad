import type { CategoryProfile } from '../dataset-profile.ts';
import type { AnswerRow, ProfiledTable } from '../table/profiled-table.ts';

/** Characters of a value that are shown. */
const SHOWN_CHARACTERS = 200;

/** What is looked at, in SQL. */
interface Categories {
  /** The text of a row's value; null is left out. */
  readonly text: string;
  /** What equal values have in common. */
  readonly key: string;
  readonly from?: string;
  /** How many are listed. */
  readonly limit: number;
}

/** The most frequent values; undefined where all are null. Of values that are as frequent the first by their text comes first. */
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

/** The same where all values are listed. */
function leastOf(rows: readonly AnswerRow[]): AnswerRow {
  const fewest = rows.at(-1)?.[1];
  const least = rows.find(([, count]) => count === fewest);
  return [least?.[0], rows.reduce((sum, [, count]) => sum + Number(count), 0)];
}

function shown(value: string): string {
  return value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}…` : value;
}
