import { afterAll, vi } from 'vitest';
import { testExecutor } from '../../test/executor-conformance.ts';
import { openExecutor } from './open-executor.ts';
import { WorkerPool } from './worker-pool.ts';

// Threads start slowly on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const pool = new WorkerPool();

afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  vi.resetConfig();
});

testExecutor('threads', () => ({ open: async ({ plan, threads }) => openExecutor(plan, { ...threads, pool }) }));
