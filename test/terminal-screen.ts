/** What a terminal shows after something was written to it, and what it did meanwhile. */
export interface Screen {
  /** All lines, those that have scrolled away included, without what is empty at the end. */
  readonly lines: readonly string[];
  /** Where the cursor stands, in these lines. */
  readonly cursor: { readonly line: number; readonly column: number };
  /** Whether it was ever hidden. */
  readonly hidCursor: boolean;
}

/** A token of what is written: a sequence of the terminal, or one character. */
// oxlint-disable-next-line no-control-regex
const TOKEN = /\u001b\[(\??\d*)([A-Za-z])|[^]/gu;

/** Carries out what the panel and line output use of a terminal; anything else is an error. */
export function screenOf(written: string, { columns = 80, rows = 24 } = {}): Screen {
  const lines: string[] = [''];
  let line = 0;
  let column = 0;
  let hidCursor = false;
  const down = (): void => {
    line++;
    if (line === lines.length) lines.push('');
  };
  const put = (character: string): void => {
    if (column === columns) [column] = [0, down()];
    lines[line] =
      (lines[line] as string).slice(0, column).padEnd(column) + character + (lines[line] as string).slice(column + 1);
    column++;
  };
  const obey = (count: string, command: string): void => {
    if (command === 'A') line = Math.max(line - Number(count), lines.length - rows, 0);
    else if (command === 'K') lines[line] = (lines[line] as string).slice(0, column);
    else if (command === 'J') {
      lines[line] = (lines[line] as string).slice(0, column);
      for (let below = line + 1; below < lines.length; below++) lines[below] = '';
    } else if (command === 'l' && count === '?25') hidCursor = true;
    else if (!'hlm'.includes(command)) throw new Error(`not known: ${JSON.stringify(count + command)}`);
  };
  for (const [token, count = '', command] of written.matchAll(TOKEN)) {
    if (command !== undefined) obey(count, command);
    else if (token === '\r') column = 0;
    else if (token === '\n') [column] = [0, down()];
    else put(token);
  }
  const end = lines.findLastIndex((text) => text !== '') + 1;
  return { lines: lines.slice(0, end), cursor: { line, column }, hidCursor };
}
