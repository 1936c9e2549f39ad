import type { ColumnInfo } from '../../api/columns.ts';
import type { RequestOf } from '../../api/requests.ts';

/** The texts of edited values, by column. */
export type EditTexts = Readonly<Record<string, string>>;

type Edits = RequestOf<'review'>['review']['edits'];

/** The values of the texts as their columns store them; throws for a text that is no JSON where one is needed. */
export function editsOf(texts: EditTexts, columns: readonly ColumnInfo[]): Edits {
  const entries = Object.entries(texts).map(([name, text]) => {
    const column = columns.find((one) => one.name === name);
    return [name, column && column.type === 'utf8' && !column.isNested ? text : jsonOf(name, text)] as const;
  });
  // The server checks each value against the type of its column.
  return entries.length === 0 ? null : (Object.fromEntries(entries) as Edits);
}

function jsonOf(column: string, text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`The new value of ${column} is not JSON. Write text in quotation marks.`);
  }
}

/** The texts to edit the values of a review again. */
export function textsOf(edits: Readonly<Record<string, unknown>> | null): EditTexts {
  const entries = Object.entries(edits ?? {}).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value, undefined, 2),
  ]);
  return Object.fromEntries(entries);
}
