import type { ProfiledTable, ProfiledValue } from './profiled-table.ts';

/** The values of the first records, as text; long text is cut. */
export type FirstTexts = readonly (string | null)[];

/** The records whose texts are read; a column is taken for dates if these are. */
export const FIRST_RECORDS = 20;

/** Longer texts are cut. */
export const SHOWN_CHARACTERS = 200;

/** The first texts of values, in the order of the values. */
export async function readFirstTexts(
  table: ProfiledTable,
  values: readonly ProfiledValue[],
): Promise<readonly FirstTexts[]> {
  const asked = values.map(({ sql, type }) => {
    const isOne = typeof type === 'string' || 'logical' in type;
    const text = isOne ? `CAST(${sql} AS VARCHAR)` : `CAST(to_json(${sql}) AS VARCHAR)`;
    return `left(${text}, ${SHOWN_CHARACTERS + 1})`;
  });
  const rows = await table.rows(`SELECT ${asked.join(', ')} FROM t LIMIT ${FIRST_RECORDS}`);
  return values.map((_, at) => rows.map((row) => shown(row[at])));
}

function shown(text: unknown): string | null {
  return typeof text === 'string' ? cutText(text) : null;
}

/** A text as it is shown: cut if it is long. */
export function cutText(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
