import type { Cluster, Redis } from 'ioredis';
import { DataDesignerError } from '@data-designer/core';

/** A client of one server, of Sentinels or of a Redis Cluster. It connects again by itself. */
export type RedisClient = Redis | Cluster;

/** A server of a Sentinel or Redis Cluster setup. */
interface RedisNode {
  readonly host: string;
  readonly port: number;
}

/**
 * How to reach the Redis or Valkey of a cluster. An address may be `redis://`, `rediss://` (TLS),
 * `redis+sentinel://host:port,host:port/master`, `redis+cluster://host:port,host:port` or `redis+unix:///path/to/socket`.
 * Sentinels and Redis Clusters take `tls=true`, sockets `db=…`, and all of them `prefix=…` as query parameters.
 */
export interface ConnectionSettings {
  /** One server; default `127.0.0.1:6379`. */
  readonly host?: string;
  readonly port?: number;
  /** The Unix socket of a server on this machine, in place of host and port. */
  readonly path?: string;
  /** The Sentinels, and the name of the master that they watch. */
  readonly sentinels?: readonly RedisNode[];
  readonly master?: string;
  /** Nodes of a Redis Cluster. */
  readonly nodes?: readonly RedisNode[];
  readonly username?: string;
  /** The password; default: the environment variable `DATA_DESIGNER_CLUSTER_PASSWORD`. */
  readonly password?: string;
  /** User and password of the Sentinels, if they ask for them; default: the variable `DATA_DESIGNER_CLUSTER_SENTINEL_PASSWORD`. */
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
  /** The number of the database; 0 unless given. */
  readonly db?: number;
  /** TLS, with the options of Node's `tls.connect`. */
  readonly tls?: boolean | Readonly<Record<string, unknown>>;
  /** Begins the name of every key, so that others can use the same server. */
  readonly keyPrefix?: string;
}

/** An address, or settings. */
export type ClusterConnection = string | ConnectionSettings;

const PASSWORD = 'DATA_DESIGNER_CLUSTER_PASSWORD';
const SENTINEL_PASSWORD = 'DATA_DESIGNER_CLUSTER_SENTINEL_PASSWORD';
const PROTOCOLS = new Set(['redis:', 'rediss:', 'redis+sentinel:', 'redis+cluster:', 'redis+unix:']);

/** The settings of a connection; throws `cluster/invalid-connection`. */
export function connectionSettings(connection: ClusterConnection): ConnectionSettings {
  const settings = typeof connection === 'string' ? readAddress(connection) : connection;
  if (settings.sentinels && settings.master === undefined) {
    const reason = 'it names Sentinels without the master that they watch';
    throw new DataDesignerError('cluster/invalid-connection', { connection: addressOf(settings), reason });
  }
  const password = settings.password ?? process.env[PASSWORD];
  const sentinelPassword = settings.sentinelPassword ?? process.env[SENTINEL_PASSWORD];
  return {
    ...settings,
    ...(password === undefined ? {} : { password }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
  };
}

/** A connection for messages: without user and password. */
export function addressOf({ host = '127.0.0.1', port = 6379, path, ...settings }: ConnectionSettings): string {
  if (path !== undefined) return path;
  const nodes = settings.sentinels ?? settings.nodes ?? [{ host, port }];
  return nodes.map((node) => `${node.host}:${node.port}`).join(',');
}

/** Reads an address; several hosts are separated by commas, which `URL` does not know. */
function readAddress(address: string): ConnectionSettings {
  const [, before = '', hosts = '', after = ''] = /^([a-z+]+:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/i.exec(address) ?? [];
  const [first = '', ...others] = hosts.split(',');
  const url = tryUrl(`${before}${first}${after}`);
  if (!url || !PROTOCOLS.has(url.protocol)) throw unusable(address, 'it is not a Redis address');
  const { protocol, searchParams, pathname } = url;
  if (protocol === 'redis+unix:') return socketOf(url, address);
  const nodes = [first, ...others].map((host) => nodeOf(host, protocol, address));
  const path = decodeURIComponent(pathname.slice(1));
  const { host, port } = nodes[0] ?? { host: '127.0.0.1', port: 6379 };
  const tls = protocol === 'rediss:' || searchParams.get('tls') === 'true';
  const shared = { ...userOf(url), ...(tls ? { tls } : {}) };
  if (protocol === 'redis+cluster:') return { ...shared, nodes };
  if (protocol === 'redis+sentinel:') return { ...shared, sentinels: nodes, ...(path === '' ? {} : { master: path }) };
  if (others.length > 0) throw unusable(address, 'only redis+sentinel:// and redis+cluster:// take several hosts');
  return { ...shared, host, port, ...databaseOf(path, address) };
}

/** The server behind a Unix socket, such as `redis+unix:///run/redis.sock?db=2`. */
function socketOf(url: URL, address: string): ConnectionSettings {
  const path = decodeURIComponent(url.pathname);
  if (url.hostname !== '' || path.length < 2) {
    throw unusable(address, 'the path of a socket follows three slashes, as in redis+unix:///run/redis.sock');
  }
  return { ...userOf(url), path, ...databaseOf(url.searchParams.get('db') ?? '', address) };
}

/** User, password and the prefix of keys. */
function userOf({ username, password, searchParams }: URL): ConnectionSettings {
  const prefix = searchParams.get('prefix');
  return {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(prefix === null ? {} : { keyPrefix: prefix }),
  };
}

function databaseOf(text: string, address: string): ConnectionSettings {
  if (!/^\d*$/.test(text)) throw unusable(address, `the database '${text}' is no number`);
  return text === '' ? {} : { db: Number(text) };
}

function nodeOf(text: string, protocol: string, address: string): RedisNode {
  const url = tryUrl(`redis://${text}`);
  if (!url || url.hostname === '') throw unusable(address, `'${text}' is no host`);
  const port = url.port === '' ? (protocol === 'redis+sentinel:' ? 26_379 : 6379) : Number(url.port);
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port };
}

function tryUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function unusable(address: string, reason: string): DataDesignerError {
  const connection = address.replace(/^([a-z+]+:\/\/)[^@/]*@/i, '$1');
  return new DataDesignerError('cluster/invalid-connection', { connection, reason });
}
