import { isMapping } from '@data-designer/config';

/** Bytes as Base64 text. */
export function base64Text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** A value of a program with all bytes in it as Base64 text; the value itself if it has none. */
export function bytesAsText(value: unknown): unknown {
  if (value instanceof Uint8Array) return base64Text(value);
  if (Array.isArray(value)) {
    const items = value.map(bytesAsText);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  return isMapping(value) ? rowWithText(value) : value;
}

/** A row or mapping with all bytes in it as Base64 text; the same object if it has none. */
export function rowWithText<Row extends Readonly<Record<string, unknown>>>(row: Row): Row | Record<string, unknown> {
  const changed = Object.entries(row).flatMap(([key, part]) => {
    const text = bytesAsText(part);
    return Object.is(text, part) ? [] : [[key, text] as const];
  });
  return changed.length > 0 ? { ...row, ...Object.fromEntries(changed) } : row;
}
