import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, vi } from 'vitest';
import { openExecutor } from '@data-designer/engine/parts';
import { WorkerPool } from '@data-designer/engine';
import { type Implementation, testExecutor } from '../../../engine/test/executor-conformance.ts';
import { NO_REDIS, startRedis, type TestRedis } from '../../test/start-redis.ts';
import { openCluster } from '../open-cluster.ts';

// Threads start slowly on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const pool = new WorkerPool();
let redis: TestRedis;

beforeAll(async () => {
  if (!NO_REDIS) redis = await startRedis();
});

afterAll(async () => {
  await redis?.[Symbol.asyncDispose]();
  await pool[Symbol.asyncDispose]();
  vi.resetConfig();
});

function machines(): Implementation {
  const run = randomUUID();
  const open: Implementation['open'] = async ({ threads, ...shared }) => {
    const local = openExecutor(shared.plan, { ...threads, pool });
    const options = { connection: redis.address, run, leaseMs: 3000, version: '0', code: {} };
    const cluster = await openCluster(options);
    const executor = await cluster.open({ ...shared, local });
    return {
      slots: executor.slots,
      run: (groups, channels) => executor.run(groups, channels),
      [Symbol.asyncDispose]: async () => {
        await executor[Symbol.asyncDispose]();
        await local[Symbol.asyncDispose]();
        await cluster[Symbol.asyncDispose]();
      },
    };
  };
  return { clusterRun: run, open };
}

describe.skipIf(NO_REDIS)(`on machines${NO_REDIS ? ` (skipped: ${NO_REDIS})` : ''}`, () => {
  // A machine makes its groups on the threads whose losses `executor.test.ts` tests.
  testExecutor('machines of a cluster', machines, { tags: 'long' });
});
