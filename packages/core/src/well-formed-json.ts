/** An escape of JSON: a character outside the basic plane as two halves, half a character alone, or any other. */
const ESCAPES = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\[^]/g;
const ONE_HALF = '\\uXXXX'.length;

/** A NUL or a backslash with its character, so that the text of an escape is none. */
const NUL = /\\u0000|\\[^]/g;

/**
 * JSON text as every server of a model reads it: well-formed, and with U+FFFD for NUL. Servers that keep requests in
 * PostgreSQL refuse NUL, and llama.cpp answers badly after it. They take other control characters.
 */
export function readableJson(text: string): string {
  const written = wellFormedJson(text);
  if (!written.includes('\\u0000')) return written;
  return written.replaceAll(NUL, (escape) => (escape === '\\u0000' ? '\uFFFD' : escape));
}

/** JSON text with U+FFFD for each half of a character: model APIs and servers refuse them (source: errors of serde_json). */
export function wellFormedJson(text: string): string {
  const written = text.isWellFormed() ? text : text.toWellFormed();
  if (!/\\u[dD][89a-fA-F]/.test(written)) return written;
  return written.replaceAll(ESCAPES, (escape) => (escape.length === ONE_HALF ? '\uFFFD' : escape));
}
