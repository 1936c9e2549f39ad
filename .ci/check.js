// Runs the checks of the sources and builds the site at the same time; prints the output of each one when it has ended. The
// command that it is given begins once all but the longest have passed, and is ended where that one fails.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

// The linter reports what the compiler of TypeScript reports, of all tsconfig.json; it takes longest, on one processor.
const LONGEST = 'oxlint --type-aware --type-check';
const OTHERS = ['oxfmt --check', 'knip', 'vitepress build docs'];

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

/** Runs a script of Node with its arguments, unless or until `failing` is aborted. */
async function run([script, ...args], failing) {
  if (failing.aborted) return false;
  const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit', signal: failing });
  const [code] = await new Promise((resolve) => {
    child.once('close', (...end) => resolve(end)).once('error', () => {});
  });
  return code === 0;
}

const failed = new AbortController();
const longest = check(LONGEST).then((isPassed) => {
  if (!isPassed) failed.abort();
  return isPassed;
});
const then = process.argv.slice(2);
const others = await Promise.all(OTHERS.map(check));
if (others.includes(false)) failed.abort();
const ended = then.length === 0 || (await run(then, failed.signal));
process.exitCode = (await longest) && !others.includes(false) && ended ? 0 : 1;
