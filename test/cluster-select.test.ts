import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { filesIn, holdAfter, rowsIn, untilHeld } from '../packages/cluster/test/made-datasets.ts';
import { NO_REDIS, startRedis, type TestRedis } from '../packages/cluster/test/start-redis.ts';

const ROWS = 24;
/** Threads take long to start on a busy machine. */
const LIMIT_MS = 180_000;

let folder: string;
let redis: TestRedis;
let simulator: RunningSimulator;
/** Stops the machines of a test, also after one that failed in the middle. */
let stop: AbortController;

beforeAll(async () => {
  if (NO_REDIS) return;
  folder = mkdtempSync(join(tmpdir(), 'cluster-select-'));
  [redis, simulator] = await Promise.all([startRedis(), startSimulator('--latency', '10')]);
  await using designer = newDesigner();
  await designer.create(selecting(), { numRecords: ROWS, datasetName: 'alone' });
}, LIMIT_MS);

afterAll(async () => {
  if (NO_REDIS) return;
  await simulator[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  if (!NO_REDIS) await simulator.release();
});

function newDesigner(): DataDesigner {
  const provider = { name: 'own', endpoint: simulator.url, providerType: 'openai' } as const;
  return new DataDesigner({
    artifactPath: folder,
    providers: { models: [provider], tools: [] },
    runConfig: { seed: 6, bufferSize: 4 },
  });
}

/** Three of four candidates are accepted, so that a run needs a second step. */
function selecting() {
  const model = { alias: 'writer', model: 'sim-small', provider: 'own', skipHealthCheck: true };
  return new DataDesignerConfigBuilder()
    .addModelConfig({ ...model, inferenceParameters: { maxParallelRequests: 8 } })
    .addColumn({ name: 'n', columnType: 'sampler', samplerType: 'uniform', params: { low: 0, high: 1 } })
    .addColumn({ name: 'text', columnType: 'llm-text', modelAlias: 'writer', prompt: 'Say {{ n }}.' })
    .select({ where: 'n < 0.75', unique: [{ exact: ['text'] }] });
}

function metadataOf(name: string) {
  return JSON.parse(readFileSync(join(folder, name, 'metadata.json'), 'utf8'));
}

describe.skipIf(NO_REDIS)(`a selection on a cluster${NO_REDIS ? ` (skipped: ${NO_REDIS})` : ''}`, () => {
  test(
    'two machines accept the rows of one',
    async () => {
      await using first = newDesigner();
      await using second = newDesigner();
      const connection = redis.address;
      const path = join(folder, 'together');
      const cluster = { connection, leaseSeconds: 3, work: false };
      const options = { numRecords: ROWS, datasetName: 'together', cluster, signal: stop.signal } as const;
      const created = first.create(selecting(), options);
      const joined = second.join(path, { connection, signal: stop.signal });
      expect(await created).toMatchObject({ count: ROWS, ended: null });
      const { rows, isOver } = await joined;
      // The coordinator makes none, so all candidates are of the other machine.
      expect({ isOver, isEnough: rows >= ROWS }).toEqual({ isOver: true, isEnough: true });
      expect(await rowsIn(join(folder, 'together'))).toEqual(await rowsIn(join(folder, 'alone')));
      expect(filesIn(join(folder, 'together'))).toEqual(filesIn(join(folder, 'alone')));
      expect(metadataOf('together').selection).toEqual(metadataOf('alone').selection);
      expect(await second.join(path, { connection })).toMatchObject({ isOver: true, rows: 0 });
    },
    LIMIT_MS,
  );

  test(
    'another machine goes on with a selection whose coordinator is gone, also between two runs of candidates',
    async () => {
      await using first = newDesigner();
      await using second = newDesigner();
      const connection = redis.address;
      const path = join(folder, 'left');
      const leaving = new AbortController();
      await holdAfter(simulator, 6);
      const cluster = { connection, leaseSeconds: 3 };
      const options = {
        numRecords: ROWS,
        datasetName: 'left',
        cluster,
        signal: AbortSignal.any([stop.signal, leaving.signal]),
      } as const;
      const created = first.create(selecting(), options);
      const events: string[] = [];
      const joined = second.join(path, {
        connection,
        signal: stop.signal,
        onEvent: ({ type }) => void events.push(type),
      });
      await untilHeld(simulator, 6);
      await expect.poll(() => events, { timeout: LIMIT_MS }).toContain('join-progress');
      leaving.abort(new Error('by a test'));
      await expect(created).rejects.toMatchObject({ code: 'run/aborted' });
      await simulator.release();
      expect(await joined).toMatchObject({ isOver: true, path });
      expect(events.filter((type) => type === 'join-lead')).toHaveLength(2);
      expect(await rowsIn(path)).toBe(await rowsIn(join(folder, 'alone')));
      expect(filesIn(path)).toEqual(filesIn(join(folder, 'alone')));
      expect(metadataOf('left').selection).toEqual(metadataOf('alone').selection);
    },
    LIMIT_MS,
  );
});
