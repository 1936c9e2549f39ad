import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataDesignerConfigBuilder } from 'data-designer';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { begunIn, filesIn, holdAfter, rowsIn, untilHeld } from '../packages/cluster/test/made-datasets.ts';
import { NO_REDIS } from '../packages/cluster/test/start-redis.ts';
import { GROUP, LIMIT_MS, TestCluster, TestMachines, WAIT_MS } from '../packages/cluster/test/test-cluster.ts';

const ROWS = 24;
vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });

let cluster: TestCluster;
let machines: TestMachines;

beforeAll(async () => {
  if (NO_REDIS) return;
  cluster = await TestCluster.start({ latency: 10 });
  await using designer = cluster.newDesigner();
  await designer.create(selecting(), { numRecords: ROWS, datasetName: 'alone' });
});

afterAll(() => cluster?.[Symbol.asyncDispose]());

beforeEach(() => {
  if (!NO_REDIS) machines = new TestMachines(cluster);
});

afterEach(() => machines?.end());

/** Loaded ahead of a coordinator: kills it once the second step, in which the last rows are accepted, has made its candidates. */
const KILLED_IN_STEP_2 = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { rename } = fs.promises;
let steps = 0;
fs.promises.rename = async (from, to) => {
  await rename(from, to);
  if (String(to).endsWith('finishing.json') && ++steps === 2) process.kill(process.pid, 'SIGKILL');
};
syncBuiltinESMExports();`;

/** Three of four candidates are accepted, so that a run needs a second step. */
function selecting() {
  const model = { alias: 'writer', model: 'sim-small', provider: 'own', skipHealthCheck: true };
  return new DataDesignerConfigBuilder()
    .addModelConfig({ ...model, inferenceParameters: { maxParallelRequests: 8 } })
    .addColumn({ name: 'n', columnType: 'sampler', samplerType: 'uniform', params: { low: 0, high: 1 } })
    .addColumn({ name: 'text', columnType: 'llm-text', modelAlias: 'writer', prompt: 'Say {{ n }}.' })
    .select({ where: 'n < 0.75', unique: [{ exact: ['text'] }] });
}

function pathOf(name: string): string {
  return join(cluster.folder, name);
}

function metadataOf(name: string) {
  return JSON.parse(readFileSync(join(pathOf(name), 'metadata.json'), 'utf8'));
}

describe.skipIf(NO_REDIS)(`a selection on a cluster${NO_REDIS ? ` (skipped: ${NO_REDIS})` : ''}`, () => {
  test('two machines accept the rows of one', { tags: 'long' }, async () => {
    const path = pathOf('together');
    const options = { numRecords: ROWS, datasetName: 'together', cluster: { work: false } };
    const created = machines.create(selecting(), options);
    const joined = machines.join(path);
    expect(await created).toMatchObject({ count: ROWS, ended: null });
    const { rows, isOver } = await joined;
    // The coordinator makes none, so all candidates are of the other machine.
    expect({ isOver, isEnough: rows >= ROWS }).toEqual({ isOver: true, isEnough: true });
    expect(await rowsIn(path)).toEqual(await rowsIn(pathOf('alone')));
    expect(filesIn(path)).toEqual(filesIn(pathOf('alone')));
    expect(metadataOf('together').selection).toEqual(metadataOf('alone').selection);
    expect(await machines.join(path)).toMatchObject({ isOver: true, rows: 0 });
  });

  test(
    'another machine goes on with a selection whose coordinator is gone, also between two runs of candidates',
    { tags: 'long' },
    async () => {
      const path = pathOf('left');
      const leaving = new AbortController();
      await holdAfter(cluster.simulator, 6);
      const created = machines.create(selecting(), { numRecords: ROWS, datasetName: 'left', signal: leaving.signal });
      const events: string[] = [];
      const joined = machines.join(path, { onEvent: ({ type }) => void events.push(type) });
      await untilHeld(cluster.simulator, 6);
      await expect.poll(() => events, { timeout: WAIT_MS }).toContain('join-progress');
      leaving.abort(new Error('by a test'));
      await expect(created).rejects.toMatchObject({ code: 'run/aborted' });
      await cluster.simulator.release();
      expect(await joined).toMatchObject({ isOver: true, path });
      expect(events.filter((type) => type === 'join-lead')).toHaveLength(2);
      expect(await rowsIn(path)).toBe(await rowsIn(pathOf('alone')));
      expect(filesIn(path)).toEqual(filesIn(pathOf('alone')));
      expect(metadataOf('left').selection).toEqual(metadataOf('alone').selection);
    },
  );

  test(
    'a coordinator that leaves between two runs of candidates hands the selection over at once',
    { tags: 'long' },
    async () => {
      const path = pathOf('between');
      const leaving = new AbortController();
      await holdAfter(cluster.simulator, 6);
      const created = machines.create(selecting(), {
        numRecords: ROWS,
        datasetName: 'between',
        // A lost coordinator would be missed for longer than an offer lasts.
        cluster: { work: false, leave: leaving.signal, leaseSeconds: 40 },
        onEvent: (event) => {
          const isLast = event.type === 'row-group-end' && event.group === ROWS / GROUP - 1;
          if (isLast) leaving.abort(new Error('by a test'));
        },
      });
      const joined = machines.join(path);
      await untilHeld(cluster.simulator, 6);
      await cluster.simulator.release();
      await expect(created).rejects.toMatchObject({ code: 'cluster/handed-over', data: { path } });
      const { rows, isOver, path: joinedPath } = await joined;
      // It made all candidates, the last ones as the coordinator.
      const candidates: readonly object[] = JSON.parse(await rowsIn(join(path, 'candidates')));
      expect({ isOver, rows, path: joinedPath }).toEqual({ isOver: true, rows: candidates.length, path });
      expect(await rowsIn(path)).toBe(await rowsIn(pathOf('alone')));
      expect(filesIn(path)).toEqual(filesIn(pathOf('alone')));
      expect(metadataOf('between').selection).toEqual(metadataOf('alone').selection);
    },
  );

  test(
    'a coordinator that was suspended goes on as an ordinary machine, and has the rows in the end',
    { tags: 'long' },
    async () => {
      const path = pathOf('suspended');
      const config = JSON.parse(readFileSync(join(pathOf('alone'), 'builder_config.json'), 'utf8'));
      await holdAfter(cluster.simulator, 6);
      const { child, finished } = machines.command(cluster.createArgs('suspended', { config, rows: ROWS }));
      await untilHeld(cluster.simulator, 6);
      const events: string[] = [];
      const joined = machines.join(path, { onEvent: ({ type }) => void events.push(type) });
      await expect.poll(() => events, { timeout: WAIT_MS }).toContain('join-start');
      child.kill('SIGSTOP');
      await expect.poll(() => events, { timeout: WAIT_MS }).toContain('join-lead');
      child.kill('SIGCONT');
      await cluster.simulator.release();
      expect(await joined).toMatchObject({ isOver: true, path });
      const { code, stderr } = await finished;
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringContaining('another machine coordinates the run'),
      });
      expect(await rowsIn(path)).toBe(await rowsIn(pathOf('alone')));
      expect(filesIn(path)).toEqual(filesIn(pathOf('alone')));
    },
  );

  test(
    'a machine that takes over a step ends it with the last candidate that is needed',
    { tags: 'long' },
    async () => {
      await using slow = await TestCluster.start({ latency: 200 });
      const [rows, inFlight] = [50, 8];
      // Six of the first 50 candidates are accepted, so that the next step has 100; all of these are, so that 44 are needed.
      const kept = Array.from({ length: 3 * rows }, (_, n) => JSON.stringify({ n, keep: n < 44 ? 0 : 1 }));
      const path = join(slow.folder, 'seeds.jsonl');
      writeFileSync(path, kept.join('\n'));
      const model = { alias: 'writer', model: 'sim-small', provider: 'own', skipHealthCheck: true };
      const config = new DataDesignerConfigBuilder()
        .addModelConfig({ ...model, inferenceParameters: { maxParallelRequests: inFlight } })
        .withSeedDataset({ seedType: 'local', path })
        .addColumn({ name: 'text', columnType: 'llm-text', modelAlias: 'writer', prompt: 'Say {{ n }}.' })
        .select({ where: 'keep == 1' });
      await using designer = slow.newDesigner();
      await designer.create(config, { numRecords: rows, datasetName: 'alone' });
      const [alone, left] = [join(slow.folder, 'alone'), join(slow.folder, 'left')];
      const document = JSON.parse(readFileSync(join(alone, 'builder_config.json'), 'utf8'));
      const own = new TestMachines(slow);
      try {
        // Candidates that are refused have no request: they end before.
        await holdAfter(slow.simulator, 20);
        const { child, finished } = own.command(slow.createArgs('left', { config: document, rows }));
        await untilHeld(slow.simulator, 20);
        const joined = own.join(left);
        child.kill('SIGKILL');
        await finished;
        // Candidates are decided in their order: those that were lost are the first ones.
        const candidates = join(left, 'candidates');
        const lost = [...begunIn(candidates).keys()];
        const areMadeAgain = () => lost.every((group) => (begunIn(candidates).get(group) ?? 0) > 1);
        await expect.poll(areMadeAgain, { timeout: WAIT_MS }).toBe(true);
        // Answers come one by one, so that a machine that is busy with other tests too has decided before many further requests.
        let isOver = false;
        const ended = joined.finally(() => (isOver = true));
        const release = () => slow.simulator.releaseHeld(1).then(() => isOver);
        await expect.poll(release, { timeout: LIMIT_MS, interval: 100 }).toBe(true);
        await slow.simulator.release();
        expect(await ended).toMatchObject({ isOver: true });
        expect(await rowsIn(left)).toBe(await rowsIn(alone));
        // How many candidates were in flight at the end is a matter of time.
        const [files, others] = [left, alone].map((name) =>
          filesIn(name).filter((file) => !file.startsWith('candidates')),
        );
        expect(files).toEqual(others);
        const { requests } = await slow.simulator.stats();
        // Bought twice are those in flight at the kill; others are in flight while the last candidates are decided.
        expect(requests).toBeGreaterThanOrEqual(rows);
        expect(requests).toBeLessThanOrEqual(rows + 5 * inFlight);
      } finally {
        await own.end();
      }
    },
  );

  test(
    'another machine goes on where the coordinator is killed once the last step has made its rows',
    { tags: 'long' },
    async () => {
      const path = pathOf('made');
      const config = JSON.parse(readFileSync(join(pathOf('alone'), 'builder_config.json'), 'utf8'));
      const args = cluster.createArgs('made', { config, rows: ROWS });
      const preload = new URL(`data:text/javascript,${encodeURIComponent(KILLED_IN_STEP_2)}`);
      const { child, finished } = machines.command(args, { preload });
      const joined = machines.join(path);
      await finished;
      expect(child.signalCode).toBe('SIGKILL');
      expect(await joined).toMatchObject({ isOver: true, path });
      expect(await rowsIn(path)).toBe(await rowsIn(pathOf('alone')));
      expect(filesIn(path)).toEqual(filesIn(pathOf('alone')));
    },
  );

  test('create continues a selection whose machines were all killed', { tags: 'long' }, async () => {
    const path = pathOf('killed');
    const config = JSON.parse(readFileSync(join(pathOf('alone'), 'builder_config.json'), 'utf8'));
    await holdAfter(cluster.simulator, 6);
    const { child, finished } = machines.command(cluster.createArgs('killed', { config, rows: ROWS }));
    await untilHeld(cluster.simulator, 6);
    child.kill('SIGKILL');
    await finished;
    await cluster.simulator.release();
    const options = { numRecords: ROWS, datasetName: 'killed', resume: 'always' } as const;
    expect(await machines.create(selecting(), options)).toMatchObject({ count: ROWS, ended: null });
    expect(await rowsIn(path)).toBe(await rowsIn(pathOf('alone')));
    expect(filesIn(path)).toEqual(filesIn(pathOf('alone')));
    expect(metadataOf('killed').selection).toEqual(metadataOf('alone').selection);
  });
});
