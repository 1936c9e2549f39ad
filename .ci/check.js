// Runs the checks of the sources and builds the site at the same time; prints the output of each one when it has ended.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

// The newer command line of prettier finds the same on several processors.
const PRETTIER = 'prettier --experimental-cli --no-cache --check --log-level warn .';
const CHECKS = [
  PRETTIER,
  'oxlint --type-aware',
  // Several checkers check the types that they share several times.
  'tsc --checkers 1',
  'tsc -p packages/viewer/src/app --checkers 1',
  'knip',
  'vitepress build docs',
];

async function check(command) {
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const [code, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  process.stdout.write(`${code === 0 ? 'passed' : 'FAILED'}: ${command}\n${stdout}${stderr}`);
  return code === 0;
}

const passed = await Promise.all(CHECKS.map(check));
process.exitCode = passed.includes(false) ? 1 : 0;
