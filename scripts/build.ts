import { spawnSync } from 'node:child_process';

// Turbo orders the packages and remembers what is built; it is told to talk to nobody.
const { status, error } = spawnSync('turbo', ['run', 'build', '--output-logs=errors-only', '--log-order=grouped'], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', TURBO_NO_UPDATE_NOTIFIER: '1' },
});
if (error) process.stderr.write(`Cannot start turbo: ${error.message}. Run 'npm install' first.\n`);
process.exit(status ?? 1);
