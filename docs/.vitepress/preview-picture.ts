// Draws docs/preview.svg: the first record of a preview of configs/facts.yaml, as a terminal shows it.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const COMMAND = 'npx data-designer preview facts.yaml -n 1';
const COLUMNS = 92;
const CHARACTER = 8.4;
const LINE = 20;
const MARGIN = 20;

/** The colours of a dark terminal, by the code that selects them. */
const COLOURS: Readonly<Record<number, string>> = {
  31: '#f7768e',
  32: '#9ece6a',
  33: '#e0af68',
  36: '#7dcfff',
  91: '#f7768e',
  92: '#9ece6a',
  93: '#e0af68',
  94: '#7aa2f7',
  95: '#bb9af7',
  96: '#7dcfff',
};

interface Style {
  readonly colour: string;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

const PLAIN: Style = { colour: '#c0caf5', isBold: false, isDim: false };

/** The style after an escape code. */
function restyled(style: Style, code: number): Style {
  if (code === 1) return { ...style, isBold: true };
  if (code === 2) return { ...style, isDim: true };
  if (code === 22) return { ...style, isBold: false, isDim: false };
  if (code === 39) return { ...style, colour: PLAIN.colour };
  const colour = COLOURS[code];
  if (colour === undefined) throw new Error(`The preview uses the escape code ${code}: give it a colour in COLOURS.`);
  return { ...style, colour };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** One line of the terminal: every part is as wide as its characters, whatever font draws it. */
function drawLine(line: string, index: number): string {
  let style = PLAIN;
  let column = 0;
  const y = MARGIN + (index + 1) * LINE;
  const parts = line.split('\u001b[').map((escape, at) => {
    const code = at === 0 ? undefined : /^\d+(?=m)/.exec(escape)?.[0];
    if (code !== undefined) style = restyled(style, Number(code));
    const part = code === undefined ? escape : escape.slice(code.length + 1);
    const text = part.trim();
    const x = MARGIN + (column + part.indexOf(text)) * CHARACTER;
    column += part.length;
    if (text === '') return '';
    const look = `fill="${style.colour}"${style.isBold ? ' font-weight="bold"' : ''}${style.isDim ? ' opacity="0.5"' : ''}`;
    const width = (text.length * CHARACTER).toFixed(1);
    return `<text x="${x.toFixed(1)}" y="${y}" textLength="${width}" ${look}>${escaped(text)}</text>`;
  });
  return parts.join('');
}

const main = join(ROOT, 'packages', 'data-designer', 'src', 'cli', 'main.ts');
const args = ['preview', 'configs/facts.yaml', '-n', '1', '--seed', '3', '--non-interactive'];
const output = execFileSync(
  process.execPath,
  ['--conditions=@data-designer/source', main, ...args, '--display-width', String(COLUMNS)],
  { cwd: ROOT, encoding: 'utf8', env: { ...process.env, FORCE_COLOR: '1' }, stdio: ['ignore', 'pipe', 'ignore'] },
);
const lines = [`\u001b[2m$\u001b[22m \u001b[1m${COMMAND}\u001b[22m`, '', ...output.trimEnd().split('\n')];
const width = Math.ceil(COLUMNS * CHARACTER + 2 * MARGIN);
const height = lines.length * LINE + 2 * MARGIN;
writeFileSync(
  join(ROOT, 'docs', 'preview.svg'),
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A record in a terminal: sampled and generated columns, and the conversation with a tool call">
<rect width="100%" height="100%" rx="10" fill="#1a1b26"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
${lines.map(drawLine).join('\n')}
</g>
</svg>
`,
);
