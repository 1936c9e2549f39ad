import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { StdioToolProvider } from '@data-designer/mcp';
import { COMPILE_CACHE } from './compile-cache.ts';

const SERVERS = {
  raw: new URL('./raw-server.ts', import.meta.url),
  tools: new URL('./tools-server.ts', import.meta.url),
};

/** A stdio provider that runs one of the servers in this folder from source. */
export function stdioServer(
  server: keyof typeof SERVERS,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): StdioToolProvider {
  const path = fileURLToPath(SERVERS[server]);
  return {
    name: 'local',
    providerType: 'stdio',
    command: process.execPath,
    args: ['--conditions=@data-designer/source', path, ...args],
    env: { ...COMPILE_CACHE, ...env },
  };
}

/** Whether a process, or any of a group that is given as a negative number, exists and has not ended. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !isZombie(pid);
}

/** Whether a process has ended, and only its parent has not heard of it yet. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Waits until a claim holds; a test whose claim never does is ended by its own limit. */
export async function until(claim: () => boolean): Promise<void> {
  while (!claim()) {
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}
