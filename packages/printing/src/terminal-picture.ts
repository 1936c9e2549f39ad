import { stripVTControlCharacters } from 'node:util';
import { textWidth } from './fit-text.ts';

const CHARACTER = 8.4;
const LINE = 20;
const MARGIN = 20;

/** The colours of a terminal, by the code that selects them. */
interface Theme {
  readonly ground: string;
  readonly text: string;
  readonly colours: Readonly<Record<number, string>>;
}

const DARK: Theme = {
  ground: '#1a1b26',
  text: '#c0caf5',
  colours: {
    31: '#f7768e',
    32: '#9ece6a',
    33: '#e0af68',
    35: '#bb9af7',
    36: '#7dcfff',
    90: '#737aa2',
    91: '#f7768e',
    92: '#9ece6a',
    93: '#e0af68',
    94: '#7aa2f7',
    95: '#bb9af7',
    96: '#7dcfff',
  },
};

const LIGHT: Theme = {
  ground: '#ffffff',
  text: '#343b58',
  colours: {
    31: '#b3261e',
    32: '#33635c',
    33: '#8f5e15',
    35: '#7847bd',
    36: '#0f4b6e',
    90: '#6c6e75',
    91: '#b3261e',
    92: '#33635c',
    93: '#8f5e15',
    94: '#34548a',
    95: '#7847bd',
    96: '#0f4b6e',
  },
};

interface Style {
  readonly colour: string | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

const PLAIN: Style = { colour: undefined, isBold: false, isDim: false };

/** The colours and the description of a picture. */
export interface PictureOptions {
  readonly theme?: 'dark' | 'light' | undefined;
  /** What the picture shows, for readers who do not see it. */
  readonly label: string;
}

/** Terminal text with its colours as an SVG picture. */
export function terminalPicture(text: string, { theme: name = 'dark', label }: PictureOptions): string {
  const theme = name === 'dark' ? DARK : LIGHT;
  const lines = text.trimEnd().split('\n');
  const columns = Math.max(...lines.map((line) => textWidth(stripVTControlCharacters(line))));
  const [width, height] = [Math.ceil(columns * CHARACTER + 2 * MARGIN), lines.length * LINE + 2 * MARGIN];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(label)}">
<rect width="100%" height="100%" rx="10" fill="${theme.ground}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
${drawLines(lines, theme).join('\n')}
</g>
</svg>
`;
}

/** The lines, each part as wide as its characters, whatever font draws it. A style may continue on the next line. */
function drawLines(lines: readonly string[], theme: Theme): string[] {
  let style = PLAIN;
  return lines.map((line, index) => {
    let column = 0;
    const y = MARGIN + (index + 1) * LINE;
    const parts = line.split('\u001b[').map((escape, at) => {
      const code = at === 0 ? undefined : /^\d+(?=m)/.exec(escape)?.[0];
      if (code !== undefined) style = restyled(style, Number(code), theme);
      const part = code === undefined ? escape : escape.slice(code.length + 1);
      const text = part.trim();
      const x = MARGIN + (column + part.indexOf(text)) * CHARACTER;
      column += textWidth(part);
      if (text === '') return '';
      const { colour = theme.text, isBold, isDim } = style;
      const look = `fill="${colour}"${isBold ? ' font-weight="bold"' : ''}${isDim ? ' opacity="0.5"' : ''}`;
      const width = (textWidth(text) * CHARACTER).toFixed(1);
      return `<text x="${x.toFixed(1)}" y="${y}" textLength="${width}" ${look}>${escaped(text)}</text>`;
    });
    return parts.join('');
  });
}

/** The style after an escape code; unknown codes, such as that of italics, change nothing. */
function restyled(style: Style, code: number, { colours }: Theme): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, isBold: true };
  if (code === 2) return { ...style, isDim: true };
  if (code === 22) return { ...style, isBold: false, isDim: false };
  if (code === 39) return { ...style, colour: undefined };
  return { ...style, colour: colours[code] ?? style.colour };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
