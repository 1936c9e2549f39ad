/** What Python's `repr` does not write as it is. */
const SPECIAL = /[\\\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;
const SHORT: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Text that is written as it is. */
const PLAIN = /^[ !#-&(-[\]-~]*$/;

/** A text as Python's `repr` writes it, in quotes. */
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
  const code = character.codePointAt(0) as number;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}
