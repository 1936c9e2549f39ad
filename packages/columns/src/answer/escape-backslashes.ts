/** A backslash with what it escapes. */
const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|[^]|$)/g;
const VALID = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})$/;
/** The rest of LaTeX commands whose first letter is an escape of JSON. */
const COMMANDS: Readonly<Record<string, RegExp>> = {
  t: /^(?:heta|imes|ext(?:bf|it|rm|tt)?|frac|ilde|riangle|herefore|anh?|au|op|o)(?![a-z])/,
  n: /^(?:abla|otin|eq|eg|u|mid|parallel|ewline|ewcommand)(?![a-z])/,
  r: /^(?:ho|ight|angle|ceil|floor|m|ightarrow)(?![a-z])/,
};
/** The end of a text within a Windows path. */
const IN_PATH = /(?:^|[\s"'(=])(?:[A-Za-z]:|\\\\|\.{1,2}\\)[^\s"']*$/;
/** A longer path is no path. */
const LONGEST_PATH = 300;

/**
 * Doubles the backslashes of a model that does not escape them. An escape that JSON does not know is a literal backslash.
 * Text with one of these comes from such a model, so in it `\b` and `\f` are literal too, and so are `\n`, `\r` and `\t`
 * that begin a LaTeX command or stand in a Windows path. Text without an invalid escape stays as it is.
 */
export function escapeBackslashes(text: string): string {
  if (!(text.match(ESCAPE) ?? []).some((escape) => !VALID.test(escape) && escape !== "\\'")) return text;
  return text.replaceAll(ESCAPE, (escape, index: number) => {
    if (escape === "\\'" || (VALID.test(escape) && isMeant(text, index))) return escape;
    return `\\${escape}`;
  });
}

/** Whether a valid escape at an index is one, in a text with invalid escapes. */
function isMeant(text: string, index: number): boolean {
  const letter = text[index + 1] ?? '';
  if (letter === 'b' || letter === 'f') return false;
  const command = COMMANDS[letter];
  if (!command) return true;
  if (command.test(text.slice(index + 2, index + 20))) return false;
  return !IN_PATH.test(text.slice(Math.max(0, index - LONGEST_PATH), index));
}
