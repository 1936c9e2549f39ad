import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSimulator } from '@data-designer/simulator';
import { ChaosDataset } from '../../bench/src/chaos/chaos-dataset.ts';
import { makeUndisturbed } from '../../bench/src/chaos/run-kills.ts';
import { startCommand } from '../../bench/src/chaos/start-command.ts';
import { type RedisKind, startRedisCluster, startSecured, startSentinel } from './redis-kinds.ts';

// `npm run chaos -- redis`: two processes make a dataset over a server with TLS, a user and a prefix; over a Redis Cluster; and over
// Sentinels, where the master is killed midway. Each dataset must be that of one process.

const SHAPE = { rows: 60, group: 6 };
const KINDS = { 'TLS, user and prefix': startSecured, 'Redis Cluster': startRedisCluster, Sentinel: startSentinel };

const folder = mkdtempSync(join(tmpdir(), 'redis-kinds-'));
await using simulator = await startSimulator('--latency', 'uniform:60:300');
const { rows, files } = await makeUndisturbed(new ChaosDataset(join(folder, 'one'), simulator.url, SHAPE), simulator);

async function make(name: string, kind: RedisKind): Promise<readonly string[]> {
  await fetch(`${simulator.origin}/stats/reset`, { method: 'POST' });
  const dataset = new ChaosDataset(join(folder, name), simulator.url, SHAPE);
  const { address, environment, failOver } = kind;
  const providers = dataset.providersOf('both');
  const cluster = ['--providers', providers, '--cluster', address];
  const machines = [
    startCommand([...dataset.commandWith(providers), '--cluster', address], { environment }),
    startCommand(['join', dataset.path, ...cluster], { environment }),
  ];
  const ended = Promise.all(machines.map(({ finished }) => finished));
  if (failOver) {
    while ((await simulator.stats()).requests < rows.length && machines.every(({ child }) => child.exitCode === null)) {
      await sleep(50);
    }
    await failOver();
  }
  const faults = (await ended).flatMap(({ code, stderr }) =>
    code === 0 ? [] : [`code ${code}: ${stderr.slice(-800)}`],
  );
  if (faults.length > 0) return faults;
  const made = await dataset.rows();
  if (made.join('\n') !== rows.join('\n')) faults.push('its rows differ');
  if (dataset.files().join() !== files.join()) faults.push(`its files are ${dataset.files().join(', ')}`);
  return faults;
}

for (const [name, start] of Object.entries(KINDS)) {
  await using kind = await start();
  const faults = await make(name, kind);
  process.stdout.write(`${name}: ${faults.join('; ') || 'identical'}\n`);
  if (faults.length > 0) process.exitCode = 1;
}
rmSync(folder, { recursive: true });
