import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Builds the published package ahead of the tests that run it; turbo does nothing where the sources are the same. */
export function setup(): void {
  execFileSync('npm', ['run', 'build', '--silent'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}
