import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type SecuredRedis, startSecured, TEAM } from '../../test/redis-kinds.ts';
import { freePort } from '@data-designer/testing/free-port';
import { NO_REDIS, startServer } from '../../test/start-redis.ts';
import type { RedisEvent } from '@data-designer/engine/parts';
import type { ClusterConnection } from './cluster-connection.ts';
import { GroupQueue } from './group-queue.ts';
import { openRedis } from './open-redis.ts';
import { RedisWatch } from './redis-watch.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

describe.skipIf(NO_REDIS)('a server with TLS, a user and a prefix of keys', () => {
  let redis: SecuredRedis;
  beforeAll(async () => void (redis = await startSecured()));
  afterAll(async () => {
    await redis?.[Symbol.asyncDispose]();
    vi.resetConfig();
  });

  const settings = () => {
    const { username, password, prefix: keyPrefix } = TEAM;
    return { port: redis.port, tls: { ca: redis.certificate }, username, password, keyPrefix };
  };

  test('keeps the queue of a run under the prefix', async () => {
    await using link = await openRedis(settings(), 'a-run');
    await using queue = await GroupQueue.open(link);
    await queue.add([3, 4]);
    expect(new Set(await queue.groups())).toEqual(new Set([3, 4]));
    const { username, password, port, tls } = settings();
    const client = new Redis({ host: '127.0.0.1', port, username, password, tls });
    const keys = await client.keys('*');
    client.disconnect();
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((key) => !key.startsWith('team:{dd-a-run}:'))).toEqual([]);
  });

  test('refuses a wrong password, and machines that do not know its certificate', async () => {
    const [password, tls] = await Promise.all([
      refusalOf({ ...settings(), password: 'other' }),
      refusalOf({ ...settings(), tls: true }),
    ]);
    expect(password).toMatch(/WRONGPASS/);
    expect(tls).toMatch(/self-signed certificate/);
  });
});

describe.skipIf(NO_REDIS)('a server behind a Unix socket', () => {
  test('keeps the queue of a run in the database of the address', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'redis-socket-'));
    const path = join(folder, 'redis.sock');
    const server = await startServer(['--port', String(await freePort()), '--unixsocket', path], folder);
    try {
      {
        await using link = await openRedis(`redis+unix://${path}?db=2`, 'a-run');
        await using queue = await GroupQueue.open(link);
        await queue.add([3]);
        expect(await queue.groups()).toEqual([3]);
      }
      const client = new Redis({ path, db: 2 });
      expect((await client.keys('*')).length).toBeGreaterThan(0);
      client.disconnect();
    } finally {
      const gone = once(server, 'exit');
      server.kill('SIGKILL');
      await gone;
      rmSync(folder, { recursive: true });
    }
  });
});

describe.skipIf(NO_REDIS)('a server that is away', () => {
  test(
    'is an error for a machine that does not know it, and waited for by one that does, until it is stopped',
    { tags: 'long' },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'redis-away-'));
      const port = await freePort();
      const address = `redis://127.0.0.1:${port}`;
      const stop = new AbortController();
      const stopped = openRedis(address, 'a-run', { isKnown: true, signal: stop.signal });
      const events: RedisEvent[] = [];
      const watch = new RedisWatch((event) => void events.push(event), { pollMs: 20 });
      const waiting = openRedis(address, 'a-run', { isKnown: true, watch });
      await vi.waitFor(() =>
        expect(events).toMatchObject([{ type: 'redis-lost', reason: expect.stringMatching(/ECONNREFUSED/) }]),
      );
      expect(await refusalOf(address)).toMatch(/ECONNREFUSED/);
      stop.abort(new Error('by a test'));
      await expect(stopped).rejects.toMatchObject({ code: 'run/aborted' });
      const server = await startServer(['--port', String(port)], folder);
      try {
        await using _ = await waiting;
        await vi.waitFor(() => expect(events.at(-1)).toMatchObject({ type: 'redis-return' }), 10_000);
        server.kill('SIGSTOP');
        await vi.waitFor(
          () =>
            expect(events.at(-1)).toMatchObject({
              type: 'redis-lost',
              reason: 'the connection is open, but it does not answer',
            }),
          10_000,
        );
        expect(watch.away).toMatchObject({ address: address.slice('redis://'.length) });
        server.kill('SIGCONT');
        await vi.waitFor(() => expect(events.at(-1)).toMatchObject({ type: 'redis-return' }), 10_000);
        expect(watch.away).toBeUndefined();
      } finally {
        const gone = once(server, 'exit');
        server.kill('SIGKILL');
        await gone;
        rmSync(folder, { recursive: true });
      }
    },
  );
});

test('a machine that is stopped waits no longer for a server that does not answer', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const stop = new AbortController();
  const opening = openRedis(`redis://127.0.0.1:${port}`, 'a-run', { signal: stop.signal });
  await once(silent, 'connection');
  stop.abort(new Error('by a test'));
  await expect(opening).rejects.toMatchObject({ code: 'run/aborted' });
  const never = openRedis(`redis://127.0.0.1:${port}`, 'a-run', { signal: stop.signal });
  await expect(never).rejects.toMatchObject({ code: 'run/aborted' });
  silent.close();
});

function refusalOf(connection: ClusterConnection): Promise<string> {
  return openRedis(connection, 'a-run').then(
    () => 'none',
    (failure: Error) => failure.message,
  );
}
