// Draws docs/preview.svg: the first record of a preview of configs/facts.yaml, as a terminal shows it.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { terminalPicture } from '../../packages/printing/src/terminal-picture.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const COMMAND = 'npx data-designer preview facts.yaml -n 1';
const COLUMNS = 92;

const main = join(ROOT, 'packages', 'cli', 'src', 'main.ts');
const args = ['preview', 'configs/facts.yaml', '-n', '1', '--seed', '3', '--non-interactive'];
const output = execFileSync(
  process.execPath,
  ['--conditions=@data-designer/source', main, ...args, '--display-width', String(COLUMNS)],
  { cwd: ROOT, encoding: 'utf8', env: { ...process.env, FORCE_COLOR: '1' }, stdio: ['ignore', 'pipe', 'ignore'] },
);
const lines = [`\u001b[2m$\u001b[22m \u001b[1m${COMMAND}\u001b[22m`, '', ...output.trimEnd().split('\n')];
const label = 'A record in a terminal: sampled and generated columns, and the conversation with a tool call';
writeFileSync(join(ROOT, 'docs', 'preview.svg'), terminalPicture(lines.join('\n'), { label }));
