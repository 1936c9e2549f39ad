/**
 * The names between single braces, as the fields of a Python format string, less what follows `!` or `:`; doubled
 * braces are text. What is not balanced is left out.
 */
export function bracedNames(source: string): string[] {
  const names: string[] = [];
  let open: number | undefined;
  for (let index = 0; index < source.length; index++) {
    const character = source[index];
    if (character !== '{' && character !== '}') continue;
    if (open === undefined && source[index + 1] === character) index++;
    else if (character === '{') open = index + 1;
    else if (open !== undefined) {
      names.push(
        source
          .slice(open, index)
          .replace(/[!:].*$/s, '')
          .trim(),
      );
      open = undefined;
    }
  }
  return names;
}
