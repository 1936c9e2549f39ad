// Runs the checks of the sources and builds the site at the same time; prints the output of each one when it has ended.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

const CHECKS = [
  'oxfmt --check',
  // The linter reports what the compiler of TypeScript reports, of all tsconfig.json.
  'oxlint --type-aware --type-check',
  'knip',
  'vitepress build docs',
];

// The type checker collects garbage only near this size: it reaches 4 GB in any case, and takes a fifth less CPU so.
// On one processor it takes a sixth less again, while the other checks use the others.
const env = { GOGC: 'off', GOMEMLIMIT: '6GiB', GOMAXPROCS: '1', ...process.env };

async function check(command) {
  const child = spawn(command, { shell: true, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const [code, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  process.stdout.write(`${code === 0 ? 'passed' : 'FAILED'}: ${command}\n${stdout}${stderr}`);
  return code === 0;
}

const passed = await Promise.all(CHECKS.map(check));
process.exitCode = passed.includes(false) ? 1 : 0;
