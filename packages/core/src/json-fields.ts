/** A parsed JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a parsed value is an object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of a parsed value; none if it is not an object. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The items of a parsed value; none if it is not an array. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A parsed value that is a string; null otherwise. */
export function stringOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Parses a text with `JSON.parse` or another parser; undefined for a text that it refuses. */
export function tryParse<Value>(text: string, parse: (text: string) => Value): Value | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
