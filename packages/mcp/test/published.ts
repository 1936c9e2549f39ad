import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { StdioToolProvider } from '@data-designer/mcp';
import { freePort } from '@data-designer/testing/free-port';
import { COMPILE_CACHE } from './compile-cache.ts';

/** The programs of published reference servers. */
const PROGRAMS = {
  everything: import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
  filesystem: import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
  memory: import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'),
};

function programOf(server: keyof typeof PROGRAMS): string {
  return fileURLToPath(PROGRAMS[server]);
}

/** A published server as a stdio provider. */
export function publishedServer(
  server: Parameters<typeof programOf>[0],
  args: readonly string[] = [],
  env: Record<string, string> = {},
): StdioToolProvider {
  return {
    name: server,
    providerType: 'stdio',
    command: process.execPath,
    args: [programOf(server), ...args],
    env: { ...COMPILE_CACHE, ...env },
  };
}

/** The published server "everything", listening; disposing kills it. */
export interface PublishedHttp extends AsyncDisposable {
  readonly endpoint: string;
  readonly port: number;
}

/** Starts "everything" for one of its HTTP transports, on a free port. */
export async function startEverything(transport: 'sse' | 'streamable_http'): Promise<PublishedHttp> {
  const port = await freePort();
  const mode = transport === 'sse' ? 'sse' : 'streamableHttp';
  const child = spawn(process.execPath, [programOf('everything'), mode], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (/(?:running|listening) on port/.test(said)) resolve();
    });
    child.once('exit', (code) => reject(new Error(`It ended with code ${code}: ${said}`)));
  });
  return {
    endpoint: `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`,
    port,
    [Symbol.asyncDispose]: async () => {
      if (!child.kill('SIGKILL')) return;
      await once(child, 'exit');
    },
  };
}
