import { textWidth } from './fit-text.ts';

/** A piece of text with its kind. */
export interface Piece<Kind> {
  readonly text: string;
  readonly kind: Kind;
}

const TAB = '    ';

/** Replaces characters that would move a terminal's cursor or change the text direction. */
export function replaceControls(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll('\t', TAB)
    .replaceAll(/[^\P{C}\n]/gu, '\u{FFFD}');
}

/** Wraps text at `columns` columns, between words if possible. */
export function wrapText(text: string, columns: number): string[] {
  return replaceControls(text)
    .split('\n')
    .flatMap((line) => wrapLine(line, columns));
}

function wrapLine(line: string, columns: number): string[] {
  const lines: string[] = [];
  let current = '';
  let width = 0;
  for (const word of line.split(/(?<= )/)) {
    const wide = textWidth(word);
    if (width > 0 && width + textWidth(word.trimEnd()) > columns) {
      lines.push(current.trimEnd());
      current = '';
      width = 0;
    }
    if (wide <= columns) {
      current += word;
      width += wide;
      continue;
    }
    const broken = wrapPieces([{ text: word, kind: '' }], columns).map((pieces) =>
      pieces.map((one) => one.text).join(''),
    );
    lines.push(...broken.slice(0, -1));
    current = broken.at(-1) ?? '';
    width = textWidth(current);
  }
  lines.push(current.trimEnd());
  return lines;
}

/** Wraps pieces at `columns` columns, anywhere: code has no words. */
export function wrapPieces<Kind>(pieces: readonly Piece<Kind>[], columns: number): Piece<Kind>[][] {
  const lines: Piece<Kind>[][] = [[]];
  let width = 0;
  const begin = (): void => {
    lines.push([]);
    width = 0;
  };
  for (const { text, kind } of pieces) {
    let part = '';
    const end = (): void => {
      if (part !== '') lines.at(-1)?.push({ text: part, kind });
      part = '';
    };
    for (const character of replaceControls(text)) {
      const wide = character === '\n' ? 0 : textWidth(character);
      if (character === '\n' || width + wide > columns) {
        end();
        begin();
      }
      if (character === '\n') continue;
      part += character;
      width += wide;
    }
    end();
  }
  return lines;
}
