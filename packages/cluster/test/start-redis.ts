import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '@data-designer/testing/free-port';

/** Why tests with a server are skipped; undefined if they run. */
export const NO_REDIS: string | undefined = (process.env.PATH ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'redis-server')))
  ? undefined
  : 'redis-server is not installed (apt-get install redis-server)';

/** A server of a test, without files. */
export interface TestRedis extends AsyncDisposable {
  readonly address: string;
  readonly process: ChildProcess;
  /** A connection of the test, which is opened again after a restart. */
  readonly client: Redis;
  /** Ends the server at once and starts an empty one at the same address, `awayMs` later. */
  readonly restart: (awayMs?: number) => Promise<void>;
}

/** Starts the distribution's server on a free port. */
export async function startRedis(): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const port = await freePort();
  let running = await startServer(['--port', String(port)], folder);
  const client = new Redis({ port, maxRetriesPerRequest: null, retryStrategy: () => 50 });
  client.on('error', () => {});
  const end = async (): Promise<void> => {
    if (running.exitCode !== null || running.signalCode !== null) return;
    const gone = once(running, 'exit');
    running.kill('SIGKILL');
    await gone;
  };
  return {
    address: `redis://127.0.0.1:${port}`,
    get process() {
      return running;
    },
    client,
    restart: async (awayMs = 0) => {
      await end();
      await sleep(awayMs);
      running = await startServer(['--port', String(port)], folder);
    },
    [Symbol.asyncDispose]: async () => {
      client.disconnect();
      await end();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Starts a server with flags, or a file and flags; resolves once it serves. */
export async function startServer(flags: readonly string[], folder: string): Promise<ChildProcess> {
  const common = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const server = spawn('redis-server', [...flags, ...common], { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const chunk of server.stdout.setEncoding('utf8')) {
    // A Sentinel notifies the master that it watches.
    if (/Ready to accept connections|\+monitor master/.test(String(chunk))) break;
  }
  server.stdout.resume();
  return server;
}
