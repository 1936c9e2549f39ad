/** A JSON object as it was parsed: any member may be anything. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a parsed value is an object whose members can be read. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of a parsed value; none where it is no object. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The items of a parsed value; none where it is no array. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A parsed value that is a string; null where it is anything else. */
export function stringOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
