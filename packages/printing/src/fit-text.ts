const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;
const MARK = /\p{M}/u;

/** The number of terminal columns that text without control characters takes, as most terminals count. */
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

/** Text as one terminal line, cut to `columns`, without characters that would move the cursor. */
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

/** Text without control characters other than line breaks: it cannot move the cursor. */
export function withoutControls(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n]/gu, ' ');
}
