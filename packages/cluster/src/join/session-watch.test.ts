import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DataDesignerError, NEVER } from '@data-designer/core';
import { clusterPaths, datasetPaths } from '@data-designer/dataset';
import { testFolder } from '@data-designer/testing/test-folder';
import { NO_REDIS, startRedis, type TestRedis } from '../../test/start-redis.ts';
import { MachineId } from '../machine/machine-id.ts';
import { RedisWatch } from '../redis/redis-watch.ts';
import type { FoundSession } from './find-runs.ts';
import { JoinProgress } from './join-progress.ts';
import type { LostWorkflow, PartOptions } from './joined-machine.ts';
import { leadFound } from './lead-found.ts';
import { SessionWatch } from './session-watch.ts';

const root = testFolder('session-watch');
const RUN = 'flow';

/** A workflow that any machine may continue, unless its successor says why not. */
function session(successor: object): FoundSession {
  const paths = datasetPaths(mkdtempSync(join(root, 'flow-')));
  mkdirSync(clusterPaths(paths, RUN).folder, { recursive: true });
  const record = { kind: 'workflow', version: '1', code: {}, functions: [], mediaRoots: 0, leaseMs: 3_600_000 };
  return { run: RUN, session: { ...record, runs: [], successor }, paths } as unknown as FoundSession;
}

describe.skipIf(NO_REDIS)('a session without a run', () => {
  let redis: TestRedis;
  let found: FoundSession;
  let machine: MachineId;
  let refused: { readonly path: string; readonly reason: string }[];
  let watches: SessionWatch[];
  beforeAll(async () => void (redis = await startRedis()));
  beforeEach(async () => {
    await redis.client.flushall();
    found = session({});
    machine = new MachineId();
    refused = [];
    watches = [];
  });
  afterEach(async () => {
    for (const watch of watches) await watch[Symbol.asyncDispose]();
  });
  afterAll(() => redis?.[Symbol.asyncDispose]());

  function watching({ isOwn = false, stopped = NEVER } = {}): SessionWatch {
    const watch = new SessionWatch(
      { connection: redis.address, isOwn, signal: NEVER, drain: stopped, watch: new RedisWatch(() => {}), machine },
      (lost) => refused.push(lost),
    );
    watches.push(watch);
    return watch;
  }

  const offer = (): void => writeFileSync(clusterPaths(found.paths, RUN).offer, 'first');
  const holderKey = async () => (await redis.client.keys('*coordinator*'))[0] ?? '';
  const holder = async () => redis.client.get(await holderKey());
  /** The lease is free again, as after the loss of its holder. */
  const loseHolder = async (): Promise<void> => void (await redis.client.del(await holderKey()));

  test('is led by an accepted machine once its coordinator offers its place, and waits for a lost one', async () => {
    const watch = watching();
    expect([watch.hasSession, watch.isAccepted]).toEqual([false, false]);
    expect(await watch.mayLead(found)).toBe(false);
    expect(watch.hasSession).toBe(true);
    offer();
    expect(await watch.mayLead(found)).toBe(false);
    watch.accepted();
    expect(watch.isAccepted).toBe(true);
    expect(await watch.mayLead(found)).toBe(true);
    expect(await holder()).toBe(machine.text);
    // It has a coordinator now.
    expect(await watch.mayLead(found)).toBe(false);
  });

  test('is led at once by the machine that has finished the run of its lost coordinator', async () => {
    const watch = watching();
    expect(await watch.mayLead(found)).toBe(false);
    watch.led(`other.1`);
    expect(await watch.mayLead(found)).toBe(false);
    watch.led(`${RUN}.1`);
    expect(await watch.mayLead(found)).toBe(true);
    // The session had a coordinator after that.
    expect(await watch.mayLead(found)).toBe(false);
    await loseHolder();
    expect(await watch.mayLead(found)).toBe(false);
  });

  test('is led after a while by a machine that no coordinator knows', async () => {
    const quick = { ...found, session: { ...found.session, leaseMs: 20 } } as FoundSession;
    const watch = watching();
    await expect.poll(() => watch.mayLead(quick), { interval: 2 }).toBe(true);
  });

  test('is left to others by a machine that could not continue it, which says so once', async () => {
    const watch = watching({ isOwn: true });
    offer();
    expect(await watch.mayLead(found)).toBe(true);
    await watch.refuse(RUN, 'its file is gone');
    expect(await holder()).toBeNull();
    expect(await watch.mayLead(found)).toBe(false);
    expect(refused).toEqual([]);
    watch.led(`${RUN}.1`);
    for (let time = 0; time < 2; time++) expect(await watch.mayLead(found)).toBe(false);
    expect(refused).toEqual([{ path: found.paths.folder, reason: 'its file is gone' }]);
    expect(await holder()).toBeNull();
  });

  test('is led by the program that began it only, if no other can', async () => {
    found = session({ reason: 'its stages are functions' });
    offer();
    const other = watching();
    other.accepted();
    expect(await other.mayLead(found)).toBe(false);
    expect(refused).toEqual([{ path: found.paths.folder, reason: 'its stages are functions' }]);
    expect(await watching({ isOwn: true }).mayLead(found)).toBe(true);
  });

  test('is not led by a machine that is stopped', async () => {
    const stop = new AbortController();
    const watch = watching({ isOwn: true, stopped: stop.signal });
    expect(await watch.mayLead(found)).toBe(false);
    offer();
    stop.abort(new Error('by a test'));
    expect(await watch.mayLead(found)).toBe(false);
  });

  /** Continues the workflow with what a test does in its place. */
  function lead(watch: SessionWatch, leadWorkflow: (lost: LostWorkflow) => Promise<void>, more: object = {}) {
    writeFileSync(clusterPaths(found.paths, RUN).start, JSON.stringify({ ...found.session, runs: [], version: '1' }));
    const progress = new JoinProgress(found.paths.folder, () => {});
    const options = {
      machine,
      joinProgress: progress,
      version: '1',
      plugins: [],
      functions: new Map(),
      digests: () => Promise.resolve({}),
      signal: NEVER,
      drain: NEVER,
      leadWorkflow,
      ...more,
    } as unknown as PartOptions;
    return leadFound(found, options, watch);
  }

  test('is continued with what its coordinator has left, by a machine with the same code', async () => {
    found = session({ stages: 2 });
    const seen: LostWorkflow[] = [];
    await lead(watching(), (lost) => Promise.resolve(void seen.push(lost)));
    const { spentSeconds = -1 } = seen[0] ?? {};
    expect(seen).toMatchObject([{ run: RUN, path: found.paths.folder, leaseMs: 3_600_000, successor: { stages: 2 } }]);
    expect(spentSeconds).toBeGreaterThanOrEqual(0);
    const older = lead(watching(), (lost) => Promise.resolve(void seen.push(lost)), { version: '2' });
    await expect(older).rejects.toMatchObject({ code: 'cluster/lacks' });
    expect(seen).toHaveLength(1);
  });

  test('goes on without a machine that cannot lead it, or that others have left behind', async () => {
    const watch = watching();
    expect(await watch.mayLead(found)).toBe(false);
    watch.led(`${RUN}.1`);
    const { folder: path } = found.paths;
    const failing = (failure: Error) => lead(watch, () => Promise.reject(failure));
    await failing(new DataDesignerError('cluster/taken-over', { path }));
    await failing(new DataDesignerError('cluster/handed-over', { path, rows: 0 }));
    await failing(new DataDesignerError('cluster/cannot-lead', { path, reason: 'no file' }));
    expect(await watch.mayLead(found)).toBe(false);
    expect(refused).toEqual([{ path, reason: 'no file' }]);
    await expect(failing(new Error('a fault'))).rejects.toThrow('a fault');
  });
});
