import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '@data-designer/testing/free-port';
import { startServer } from './start-redis.ts';

/** Servers of one kind, as machines reach them. */
export interface RedisKind extends AsyncDisposable {
  readonly address: string;
  /** What machines need in their environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ends a server whose work another one takes over; undefined for kinds without one. */
  readonly failOver?: () => Promise<void>;
}

/** The user of `startSecured`, who may use no keys but those of a prefix. */
export const TEAM = { username: 'team', password: 'secret of the team', prefix: 'team:' };

/** A server with TLS, a certificate of its own, and one user. */
export interface SecuredRedis extends RedisKind {
  readonly port: number;
  readonly certificate: string;
}

/** Starts a server that wants TLS, a user and a password; its own certificate is its authority. */
export async function startSecured(): Promise<SecuredRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const port = await freePort();
  const { key, certificate } = makeCertificate(folder);
  const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate];
  const acl = join(folder, 'users.acl');
  const { username, password, prefix } = TEAM;
  const hash = execFileSync('openssl', ['dgst', '-sha256', '-r'], { input: password }).toString().split(' ')[0];
  writeFileSync(acl, `user default off\nuser ${username} on #${hash} ~${prefix}* &${prefix}* +@all\n`);
  const flags = ['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no', ...files, '--aclfile', acl];
  const server = await startServer(flags, folder);
  return {
    port,
    certificate: readFileSync(certificate, 'utf8'),
    address: `rediss://${username}@127.0.0.1:${port}?prefix=${prefix}`,
    environment: { NODE_EXTRA_CA_CERTS: certificate, DATA_DESIGNER_CLUSTER_PASSWORD: password },
    [Symbol.asyncDispose]: () => end([server], folder),
  };
}

function makeCertificate(folder: string) {
  const [key, certificate] = [join(folder, 'server.key'), join(folder, 'server.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=redis of a test', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  return { key, certificate };
}

const PASSWORD = 'secret-of-the-master';
const SENTINEL_PASSWORD = 'secret-of-the-sentinel';

/** Starts a master, a replica and a Sentinel, each with TLS and a password. */
export async function startSentinel(): Promise<RedisKind> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const { key, certificate } = makeCertificate(folder);
  const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate];
  const tls = [...files, '--tls-auth-clients', 'no', '--tls-replication', 'yes', '--port', '0'];
  const [master, replica, sentinel] = [await freePort(), await freePort(), await freePort()];
  const secured = [...tls, '--requirepass', PASSWORD, '--masterauth', PASSWORD];
  const first = await startServer([...secured, '--tls-port', String(master)], folder);
  const copies = ['--tls-port', String(replica), '--replicaof', '127.0.0.1', String(master)];
  const second = await startServer([...secured, ...copies], folder);
  const config = join(folder, 'sentinel.conf');
  const watched = ['monitor queue 127.0.0.1 %p 1', 'auth-pass queue %s', 'down-after-milliseconds queue 1000'];
  const lines = [...watched, 'failover-timeout queue 5000'].map((line) => `sentinel ${line}`);
  const text = lines.join('\n').replace('%p', String(master)).replace('%s', PASSWORD);
  writeFileSync(config, `${text}\nrequirepass ${SENTINEL_PASSWORD}\n`);
  const third = await startServer([config, '--sentinel', ...tls, '--tls-port', String(sentinel)], folder);
  await until(async () => (await sentinelSees(sentinel, certificate)) === 1);
  return {
    address: `redis+sentinel://127.0.0.1:${sentinel}/queue?tls=true`,
    environment: {
      NODE_EXTRA_CA_CERTS: certificate,
      DATA_DESIGNER_CLUSTER_PASSWORD: PASSWORD,
      DATA_DESIGNER_CLUSTER_SENTINEL_PASSWORD: SENTINEL_PASSWORD,
    },
    failOver: async () => void first.kill('SIGKILL'),
    [Symbol.asyncDispose]: () => end([first, second, third], folder),
  };
}

/** How many replicas a Sentinel knows. */
async function sentinelSees(port: number, certificate: string): Promise<number> {
  const client = new Redis({
    host: '127.0.0.1',
    port,
    password: SENTINEL_PASSWORD,
    tls: { ca: readFileSync(certificate) },
  });
  try {
    const replicas: unknown = await client.call('SENTINEL', 'REPLICAS', 'queue');
    return Array.isArray(replicas) ? replicas.length : 0;
  } finally {
    client.disconnect();
  }
}

/** Starts a Redis Cluster of three nodes with a password. */
export async function startRedisCluster(): Promise<RedisKind> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const ports = [await freePort(), await freePort(), await freePort()];
  const servers: ChildProcess[] = [];
  for (const port of ports) {
    const cluster = ['--cluster-enabled', 'yes', '--cluster-config-file', `nodes-${port}.conf`];
    const flags = [...cluster, '--cluster-port', String(await freePort()), '--requirepass', PASSWORD];
    servers.push(await startServer(['--port', String(port), ...flags], folder));
  }
  const nodes = ports.map((port) => `127.0.0.1:${port}`);
  const create = ['--cluster', 'create', ...nodes, '--cluster-yes', '--no-auth-warning', '-a', PASSWORD];
  execFileSync('redis-cli', create, { stdio: 'ignore' });
  await until(async () => (await Promise.all(ports.map(isClusterReady))).every(Boolean));
  return {
    address: `redis+cluster://${nodes.join(',')}`,
    environment: { DATA_DESIGNER_CLUSTER_PASSWORD: PASSWORD },
    [Symbol.asyncDispose]: () => end(servers, folder),
  };
}

async function isClusterReady(port: number): Promise<boolean> {
  const client = new Redis({ port, password: PASSWORD });
  try {
    return (await client.cluster('INFO')).includes('cluster_state:ok');
  } finally {
    client.disconnect();
  }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(50);
}

async function end(servers: readonly ChildProcess[], folder: string): Promise<void> {
  for (const server of servers) {
    if (server.exitCode !== null || server.signalCode !== null) continue;
    const gone = once(server, 'exit');
    server.kill('SIGKILL');
    await gone;
  }
  rmSync(folder, { recursive: true });
}
