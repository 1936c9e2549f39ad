const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;
const MARK = /\p{M}/u;

/** How many columns of a terminal a text without control characters takes, as most terminals count. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

function widthOf(character: string): number {
  if (character < '\u0300') return 1;
  if (MARK.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** A text as one line of a terminal, cut to so many columns; what would move the cursor is left out. */
export function fitText(text: string, columns: number): string {
  const line = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+\s*/gu, ' ');
  if (textWidth(line) <= columns) return line;
  let cut = '';
  let width = 1;
  for (const character of line) {
    width += widthOf(character);
    if (width > columns) break;
    cut += character;
  }
  return `${cut}…`;
}
