// oxlint-disable-next-line no-control-regex -- these are the characters to show
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F]/g;
const DIRECTION = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/**
 * Text with its control characters as pictures and its direction marks as code points, so that a record cannot reorder or
 * hide what a reader sees.
 */
export function visibleText(text: string): string {
  return text
    .replace(CONTROL, (character) => (character === '\r' ? '' : String.fromCodePoint(pictureOf(character))))
    .replace(
      DIRECTION,
      (character) => `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}

function pictureOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  return code === 0x7f ? 0x2421 : 0x2400 + code;
}
