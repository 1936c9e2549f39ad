import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BenchRow } from './spine.ts';

/** How much of a shared limit the processes of a cluster use, and how many commands that takes. */
export function permits(): Promise<readonly BenchRow[]> {
  return rowsOf('../../cluster/test/measure-permits.ts');
}

/** How near processes that make one dataset come to the ideal time, and what Redis has to do for it. */
export function cluster(): Promise<readonly BenchRow[]> {
  return rowsOf('../../cluster/test/measure-cluster.ts');
}

/** Runs a program of the package `cluster`, which prints its rows as JSON. */
async function rowsOf(program: string): Promise<readonly BenchRow[]> {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const { stdout, status } = spawnSync(process.execPath, [...process.execArgv, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${program} ended with ${status}`);
  return JSON.parse(stdout) as readonly BenchRow[];
}
