/** The characters that Python's `repr` escapes. */
const SPECIAL = /[\\\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;
const SHORT: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Text that needs no escapes. */
const PLAIN = /^[ !#-&(-[\]-~]*$/;

/** Quotes a text as Python's `repr` does. */
export function quote(text: string): string {
  if (PLAIN.test(text)) return `'${text}'`;
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  let escaped = text.replace(SPECIAL, escapeCharacter);
  if (mark === "'") escaped = escaped.replaceAll("'", "\\'");
  return mark + escaped + mark;
}

function escapeCharacter(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  return hexEscape(character.codePointAt(0) ?? 0);
}

/** Python's escape for a code point: `\x85`, `\u2028` or `\U000e0001`. */
export function hexEscape(code: number): string {
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}
