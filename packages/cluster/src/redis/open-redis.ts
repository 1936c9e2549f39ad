import { DataDesignerError, messageOf, NEVER, stopFailure } from '@data-designer/core';
import {
  addressOf,
  type ClusterConnection,
  connectionSettings,
  type ConnectionSettings,
  type RedisClient,
} from './cluster-connection.ts';
import { LONGEST_PAUSE_MS, within } from '../timing.ts';
import { Exchange } from './exchange.ts';
import { RedisWatch } from './redis-watch.ts';

/** How long the first connection may take, in parts, so that a suspension of the process counts as one of them. */
const CONNECT_PARTS = 50;
/** The same for a server that has answered this machine before: it may be restarted. */
const OUTAGE_PARTS = 6000;
const CONNECT_PART_MS = 100;
/** Errors of a server that refuses this machine: its password, its rights, or the certificate. */
const REFUSED = /^(?:WRONGPASS|NOAUTH|NOPERM)|certificate/;
/** `LPOP` with a count, and the commands of BullMQ. */
const LEAST_VERSION = '6.2.0';

/** The connections of a machine to the Redis of its run. */
export interface RedisLink extends AsyncDisposable {
  readonly client: RedisClient;
  /** Host and port, for messages. */
  readonly address: string;
  /** The prefix of the keys of this run; its hash tag keeps them on one node of a Redis Cluster. */
  readonly prefix: string;
  /** The full name of a key of the run. */
  readonly keys: (name: string) => string;
  /** What machines of the run report to each other. */
  readonly exchange: Exchange;
  /** Reports what is wrong with Redis. */
  readonly watch: RedisWatch;
  /** Takes the failure of a command that this machine repeats, or on which nothing depends: the user learns of it. */
  readonly failed: (thrown: unknown) => void;
  /** Waits for a command at most so many milliseconds: Redis may be away. Its failure is reported. */
  readonly within: (ms: number, work: Promise<unknown>) => Promise<void>;
  /** The same connections for another run. */
  readonly forRun: (run: string) => RedisLink;
}

/** The packages that only runs on a cluster need. */
export interface ClusterLibraries {
  readonly bullmq: Pick<typeof import('bullmq'), 'Job' | 'Queue' | 'Worker'>;
  readonly ioredis: Pick<typeof import('ioredis'), 'Redis' | 'Cluster'>;
}

/** Loads the optional packages; throws `cluster/not-installed`. */
export async function loadLibraries(): Promise<ClusterLibraries> {
  const [bullmq, ioredis] = await Promise.allSettled([import('bullmq'), import('ioredis')]);
  if (bullmq.status === 'fulfilled' && ioredis.status === 'fulfilled') {
    return { bullmq: bullmq.value, ioredis: ioredis.value };
  }
  const missing = [
    ...(bullmq.status === 'rejected' ? ['bullmq'] : []),
    ...(ioredis.status === 'rejected' ? ['ioredis'] : []),
  ];
  throw new DataDesignerError(
    'cluster/not-installed',
    { missing },
    { cause: bullmq.status === 'rejected' ? bullmq.reason : undefined },
  );
}

/** What a machine knows when it connects. */
interface OpenRedisOptions {
  /** Whether the server has answered this machine before: then it waits for ten minutes while the server is away. */
  readonly isKnown?: boolean;
  /** Ends the wait with `run/aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** The watch of this machine, which lasts longer than the connection; one that reports nothing unless given. */
  readonly watch?: RedisWatch | undefined;
}

/** Connects to Redis and checks that it can keep a queue; throws `cluster/*`. */
export async function openRedis(
  connection: ClusterConnection,
  run: string,
  options: OpenRedisOptions = {},
): Promise<RedisLink> {
  const settings = connectionSettings(connection);
  const { ioredis } = await loadLibraries();
  const address = addressOf(settings);
  const { watch = SILENT } = options;
  const open = (): RedisClient => {
    const client = newClient(ioredis, settings);
    // A lost connection is opened again; without a listener the error would end the process.
    client.on('error', (error) => watch.disconnected(address, error));
    return client;
  };
  const client = open();
  const watched = watch.add(client, address);
  const opened = new Set<RedisClient>([client]);
  addCopies(opened, client);
  try {
    await connected(client, address, options);
    await refuseUnfit(client, address);
  } catch (failure) {
    watched[Symbol.dispose]();
    client.disconnect();
    throw failure;
  }
  const duplicate = (): RedisClient => {
    const copy = open();
    opened.add(copy);
    return copy;
  };
  const failed = (thrown: unknown): void => watch.failed(address, thrown);
  const linkOf = (own: string): RedisLink => {
    const prefix = `${settings.keyPrefix ?? ''}{dd-${own}}`;
    const keys = (name: string): string => `${prefix}:${name}`;
    return {
      client,
      address,
      prefix,
      keys,
      watch,
      failed,
      within: (ms, work) => within(ms, work.catch(failed)),
      exchange: new Exchange({ client, keys, duplicate, failed }),
      forRun: linkOf,
      [Symbol.asyncDispose]: async () => {
        watched[Symbol.dispose]();
        for (const one of opened) {
          one.on('connect', () => one.disconnect());
          // For a connection that is closed, ioredis would keep the process alive for two seconds.
          if (one.status !== 'end') one.disconnect();
        }
      },
    };
  };
  return linkOf(run);
}

/** The watch of connections whose troubles nobody listens to: tests, and single calls whose failure is thrown. */
const SILENT = new RedisWatch(() => {});

/** Adds the copies of a client, too: BullMQ may open a copy again that it has closed, for which the process would wait. */
function addCopies(opened: Set<RedisClient>, client: RedisClient): void {
  const duplicate: unknown = Reflect.get(client, 'duplicate');
  if (typeof duplicate !== 'function') return;
  Object.defineProperty(client, 'duplicate', {
    configurable: true,
    writable: true,
    value: (...options: readonly unknown[]) => {
      const copy: RedisClient = Reflect.apply(duplicate, client, options);
      opened.add(copy);
      return copy;
    },
  });
}

function newClient({ Redis, Cluster }: ClusterLibraries['ioredis'], settings: ConnectionSettings): RedisClient {
  const { host = '127.0.0.1', port = 6379, path, nodes, username, password, db } = settings;
  const tls = tlsOf(settings);
  const options = {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(db === undefined ? {} : { db }),
    ...(tls === undefined ? {} : { tls }),
    // BullMQ requires it: its blocking calls wait as long as Redis is away.
    maxRetriesPerRequest: null,
    retryStrategy: pauseBefore,
  };
  const server = path === undefined ? { host, port } : { path };
  return nodes
    ? new Cluster([...nodes], { redisOptions: options, clusterRetryStrategy: pauseBefore })
    : new Redis({ ...options, ...(settings.sentinels ? sentinelOptions(settings) : server) });
}

function tlsOf({ tls }: ConnectionSettings): Record<string, unknown> | undefined {
  if (tls === undefined || tls === false) return undefined;
  return tls === true ? {} : { ...tls };
}

function sentinelOptions(settings: ConnectionSettings) {
  const { sentinels = [], master = '', sentinelUsername, sentinelPassword } = settings;
  const tls = tlsOf(settings);
  return {
    sentinels: [...sentinels],
    name: master,
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    // Without the first the connection to the master would not be encrypted.
    ...(tls === undefined ? {} : { enableTLSForSentinelMode: true, sentinelTLS: tls }),
  };
}

function pauseBefore(attempt: number): number {
  return Math.min(100 * 2 ** Math.min(attempt, 10), LONGEST_PAUSE_MS);
}

/** Waits for the first connection; throws `cluster/unreachable` with the last error. */
async function connected(
  client: RedisClient,
  address: string,
  { isKnown = false, signal = NEVER }: OpenRedisOptions,
): Promise<void> {
  const most = isKnown ? OUTAGE_PARTS : CONNECT_PARTS;
  let reason = `it did not answer within ${(most * CONNECT_PART_MS) / 1000} s`;
  const late = Promise.withResolvers<never>();
  const onError = (error: unknown): void => {
    reason = messageOf(error) || reason;
    // A further attempt would end alike.
    if (REFUSED.test(reason)) late.reject(new DataDesignerError('cluster/unreachable', { address, reason }));
  };
  client.on('error', onError);
  let parts = 0;
  const timer = setInterval(() => {
    if (++parts >= most) late.reject(new DataDesignerError('cluster/unreachable', { address, reason }));
  }, CONNECT_PART_MS);
  const stop = (): void => late.reject(stopFailure(signal));
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) stop();
    await Promise.race([client.ping(), late.promise]);
  } catch (thrown) {
    if (thrown instanceof DataDesignerError) throw thrown;
    throw new DataDesignerError('cluster/unreachable', { address, reason: messageOf(thrown) }, { cause: thrown });
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', stop);
    client.off('error', onError);
  }
}

/** Throws for a server that is too old, or that deletes keys when its memory is full. */
async function refuseUnfit(client: RedisClient, address: string): Promise<void> {
  // INFO also works where a provider forbids CONFIG.
  const info = await client.info();
  const version = fieldOf(info, 'valkey_version') ?? fieldOf(info, 'redis_version') ?? '0';
  if (isOlder(version, LEAST_VERSION)) {
    throw new DataDesignerError('cluster/old-server', { address, version, least: LEAST_VERSION });
  }
  const policy = fieldOf(info, 'maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction') throw new DataDesignerError('cluster/evicting', { address, policy });
}

function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

function isOlder(version: string, least: string): boolean {
  const [own, bound] = [version, least].map((text) => text.split('.').map(Number));
  for (const [index, wanted] of (bound ?? []).entries()) {
    const found = own?.[index] ?? 0;
    if (found !== wanted) return found < wanted;
  }
  return false;
}
