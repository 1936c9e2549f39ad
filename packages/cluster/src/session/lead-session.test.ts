import { existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DataDesignerError, NEVER } from '@data-designer/core';
import { type ClusterPaths, clusterPaths, type DatasetPaths, datasetPaths } from '@data-designer/dataset';
import type { WorkflowSession } from '@data-designer/engine/parts';
import { testFolder } from '@data-designer/testing/test-folder';
import { NO_REDIS, startRedis, type TestRedis } from '../../test/start-redis.ts';
import { openRedis, type RedisLink } from '../redis/open-redis.ts';
import { RunState } from '../redis/run-state.ts';
import { readStart } from '../start-record.ts';
import { timingOf } from '../timing.ts';
import { leadSession, secondsOf } from './lead-session.ts';

const root = testFolder('lead-session');
const RUN = 'flow';

const aborted = () => new DataDesignerError('run/aborted', { reason: 'enough' });

const keeps = () => Promise.reject(new DataDesignerError('cluster/taken-over', { path: 'stage' }));

describe.skipIf(NO_REDIS)('a machine that coordinates a session', () => {
  let redis: TestRedis;
  let link: RedisLink;
  let state: RunState;
  let paths: DatasetPaths;
  let cluster: ClusterPaths;
  let released: number;
  beforeAll(async () => void (redis = await startRedis()));
  beforeEach(async () => {
    await redis.client.flushall();
    link = await openRedis(redis.address, RUN);
    state = new RunState(link, timingOf());
    paths = datasetPaths(mkdtempSync(join(root, 'flow-')));
    cluster = clusterPaths(paths, RUN);
    released = 0;
    return () => link[Symbol.asyncDispose]();
  });
  afterAll(() => redis?.[Symbol.asyncDispose]());

  interface Given {
    readonly work?: (signal: AbortSignal) => Promise<unknown>;
    readonly isSuccessor?: boolean;
    readonly signal?: AbortSignal;
    readonly leave?: AbortSignal;
    readonly leaseMs?: number;
  }

  function lead({ work = () => Promise.resolve('done'), isSuccessor = false, signal = NEVER, ...options }: Given = {}) {
    const session = {
      kind: 'workflow',
      folder: paths.folder,
      runs: [join(paths.folder, 'stage-0')],
      successor: { reason: 'none' },
      signal,
    } as unknown as WorkflowSession;
    const own = { version: '1', code: {}, functions: ['f'], ...options };
    const parts = {
      link,
      run: RUN,
      options: own,
      machine: 'first',
      isSuccessor,
      machines: [{ rows: 3 }, { rows: 4 }] as never,
      release: () => Promise.resolve(void released++),
    };
    return leadSession(session, parts, work);
  }

  const path = () => paths.folder;
  /** Another machine takes the lease. */
  const loseLease = async (signal: AbortSignal) => {
    await redis.client.set(link.keys('coordinator'), 'other');
    await expect.poll(() => signal.aborted).toBe(true);
    throw new Error('a consequence');
  };

  test('writes the record of the session, has the lease meanwhile, and removes the record at the end', async () => {
    const work = async () => {
      expect(await state.coordinator()).toBe('first');
      expect(await readStart(cluster)).toEqual({
        kind: 'workflow',
        runs: ['stage-0'],
        version: '1',
        code: {},
        functions: ['f'],
        mediaRoots: 0,
        allowPrivate: false,
        imageFolders: [],
        host: hostname(),
        leaseMs: 30_000,
        successor: { reason: 'none' },
      });
      return 'made';
    };
    expect(await lead({ work })).toBe('made');
    expect([existsSync(cluster.folder), await state.coordinator(), released]).toEqual([false, undefined, 1]);
  });

  test('is refused while another machine has the lease', async () => {
    await state.lead('other');
    await expect(lead()).rejects.toMatchObject({ code: 'cluster/taken-over', data: { path: path() } });
    expect(existsSync(cluster.folder)).toBe(false);
  });

  test('ends the session where its work fails', async () => {
    await expect(lead({ work: () => Promise.reject(new Error('a fault')) })).rejects.toThrow('a fault');
    expect([existsSync(cluster.folder), released, await state.coordinator()]).toEqual([false, 1, undefined]);
  });

  test('leaves the session to others where a run of it has another coordinator', async () => {
    const failures = [
      new DataDesignerError('cluster/taken-over', { path: 'stage' }),
      new DataDesignerError('cluster/handed-over', { path: 'stage', rows: 1 }),
      new DataDesignerError('cluster/cannot-lead', { path: 'stage', reason: 'no file' }),
    ];
    const expected = [{ path: path() }, { path: path(), rows: 7 }, { path: 'stage', reason: 'no file' }];
    for (const [at, failure] of failures.entries()) {
      const thrown = lead({ work: () => Promise.reject(failure) });
      await expect(thrown).rejects.toMatchObject({ code: failure.code, data: expected[at] });
      expect(await readStart(cluster)).toBeDefined();
    }
    expect(released).toBe(3);
  });

  test('leaves the session to the machine that has taken its lease', async () => {
    await expect(lead({ work: loseLease, leaseMs: 300 })).rejects.toMatchObject({ code: 'cluster/taken-over' });
    expect(await readStart(cluster)).toBeDefined();
  });

  test('keeps the record of a session that is stopped, so that others go on', async () => {
    const stopped = AbortSignal.abort(aborted());
    await expect(lead({ work: () => Promise.reject(aborted()), signal: stopped })).rejects.toMatchObject({
      code: 'run/aborted',
    });
    expect(await readStart(cluster)).toBeDefined();
  });

  test('hands the session over when it leaves, to a machine that takes the offer', async () => {
    const leaving = lead({ work: () => Promise.reject(aborted()), leave: AbortSignal.abort() });
    const handed = leaving.catch((thrown: unknown) => thrown);
    await expect.poll(() => existsSync(cluster.offer)).toBe(true);
    renameSync(cluster.offer, cluster.accepted);
    expect(await handed).toMatchObject({ code: 'cluster/handed-over', data: { path: path(), rows: 7 } });
    expect(await readStart(cluster)).toBeDefined();
  });

  test('takes an offered session, or one whose coordinator is lost', async () => {
    mkdirSync(cluster.folder, { recursive: true });
    writeFileSync(cluster.start, JSON.stringify({ version: '1', runs: [] }));
    writeFileSync(cluster.offer, 'other');
    await lead({ isSuccessor: true, work: keeps }).catch(() => {});
    expect([existsSync(cluster.offer), existsSync(cluster.accepted)]).toEqual([false, true]);
    expect(await lead({ isSuccessor: true })).toBe('done');
  });

  test('does not take a session that has ended, or whose offer was withdrawn', async () => {
    const taken = { code: 'cluster/taken-over', data: { path: path() } };
    await expect(lead({ isSuccessor: true })).rejects.toMatchObject(taken);
    mkdirSync(cluster.folder, { recursive: true });
    writeFileSync(cluster.start, JSON.stringify({ version: '1', runs: [] }));
    writeFileSync(cluster.withdrawn, 'other');
    await expect(lead({ isSuccessor: true })).rejects.toMatchObject(taken);
    expect(existsSync(cluster.folder)).toBe(false);
  });

  test('knows how long the session has taken, unless it has ended', async () => {
    await expect(secondsOf(paths, RUN, 'first')).rejects.toMatchObject({ code: 'cluster/taken-over' });
    mkdirSync(cluster.folder, { recursive: true });
    writeFileSync(cluster.start, JSON.stringify({ version: '1', runs: [] }));
    const seconds = await secondsOf(paths, RUN, 'first');
    expect(seconds).toBeGreaterThanOrEqual(0);
    expect(seconds).toBeLessThan(600);
  });
});
