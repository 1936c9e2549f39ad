import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataDesignerError, isFailure, refuseStopped } from '@data-designer/core';
import { clusterOfLock, type DatasetPaths, datasetPaths, sessionOf } from '@data-designer/dataset';
import type { RunEnd } from '@data-designer/engine';
import { connectionSettings } from '../redis/cluster-connection.ts';
import { loadLibraries, openRedis } from '../redis/open-redis.ts';
import { RedisWatch } from '../redis/redis-watch.ts';
import { MachineId } from '../machine/machine-id.ts';
import { SessionWatch } from './session-watch.ts';
import { type JoinTarget, findRuns, type FoundRun, type FoundSession, isFinished } from './find-runs.ts';
import type { JoinEvent } from './join-event.ts';
import { JoinProgress } from './join-progress.ts';
import type { JoinParts, PartOptions } from './joined-machine.ts';
import { leadFound } from './lead-found.ts';
import { OpenParts } from './open-parts.ts';
import { takePart } from './take-part.ts';

/** How often a machine polls for a run, and for further ones while it takes part in some. */
const POLL_EVERY_MS = { idle: 250, busy: 1000 } as const;
/** How long the folder may stay locked once the run is over. */
const UNLOCK_MS = 5000;
const UNLOCK_POLL_MS = 50;

/** What a machine has done in a run. */
export interface JoinedRun {
  /** The dataset's folder. */
  readonly path: string;
  /** The rows of the groups that this machine has committed. */
  readonly rows: number;
  /** Whether the run is over; false for a machine that has left it. */
  readonly isOver: boolean;
  /** Why the run ended before all rows were made; null if it did not, and for selections and workflows. */
  readonly ended: RunEnd | null;
}

/** The same, with the failure itself. */
export interface WorkedRun extends Omit<JoinedRun, 'ended'> {
  readonly ended: DataDesignerError | undefined;
}

/**
 * Works on the run in a folder until it is over, or until this machine is stopped; on a session, on all its open runs at the
 * same time. Throws `cluster/*` and `run/*`.
 */
export async function joinRun(parts: JoinParts): Promise<WorkedRun> {
  // Before it waits for a run.
  connectionSettings(parts.connection);
  await loadLibraries();
  await using joined = new JoinedFolder(parts);
  return await joined.work();
}

/** A folder in whose runs this machine takes part. */
class JoinedFolder implements AsyncDisposable {
  readonly #parts: JoinParts;
  readonly #paths: DatasetPaths;
  readonly #open = new OpenParts();
  readonly #machine = new MachineId();
  readonly #redis: RedisWatch;
  readonly #watch: SessionWatch;
  readonly #progress: JoinProgress;
  readonly #stopped: AbortSignal;
  /** The one run or session that it takes part in; any unless given. */
  #only: string | undefined;
  #hasWaited = false;
  readonly #startedAt = performance.now();
  #hasLeft = false;
  #isOver = false;
  #ended: DataDesignerError | undefined;

  constructor(parts: JoinParts) {
    this.#parts = parts;
    this.#only = parts.run;
    this.#paths = datasetPaths(resolve(parts.folder));
    const { folder: path } = this.#paths;
    this.#redis = new RedisWatch((event) => parts.onEvent({ ...event, folder: path }));
    const watching = { ...parts, watch: this.#redis, machine: this.#machine };
    this.#watch = new SessionWatch(watching, (lost) => this.#report({ type: 'join-cannot-lead', ...lost }));
    this.#progress = new JoinProgress(path, this.#report);
    this.#stopped = AbortSignal.any([parts.signal, parts.drain]);
    this.#stopped.addEventListener('abort', () => this.#open.wake(), { once: true });
  }

  /** Takes part in all runs until none is left, a part fails or this machine is stopped. */
  async work(): Promise<WorkedRun> {
    const { folder: path } = this.#paths;
    try {
      while (!this.#isDone()) {
        await this.#poll();
        if (!this.#isDone()) await this.#open.change(this.#pauseMs);
      }
    } catch (thrown) {
      this.#open.fail(thrown);
    }
    try {
      await this.#open.ended();
      if (!this.#isOver && !this.#hasLeft) refuseStopped(this.#parts);
    } catch (thrown) {
      const isStopped = isFailure(thrown, 'run/aborted') && this.#stopped.aborted;
      if (!this.#watch.hasSession || !isStopped) throw thrown;
      this.#hasLeft = true;
    }
    const { rows } = this.#progress;
    if (this.#hasLeft) return { path, rows, isOver: false, ended: undefined };
    if (this.#only !== undefined) await this.#untilUnlocked(this.#only);
    // The end of a stage or step is not that of the session, and what was in flight may have completed the dataset.
    const isWhole = this.#watch.hasSession || (await isFinished(this.#paths));
    return { path, rows, isOver: true, ended: isWhole ? undefined : this.#ended };
  }

  /** Begins to take part in what it finds, unless everything is made or the session is over. */
  async #poll(): Promise<void> {
    const runs = await findRuns(this.#paths, { taken: this.#open.taken });
    const found = runs.filter(({ run }) => this.#only === undefined || sessionOf(run) === sessionOf(this.#only));
    for (const one of found) {
      if (this.#open.taken.has(one.run) || this.#mustEnd) continue;
      if ('record' in one) this.#take(one);
      else if (await this.#watch.mayLead(one)) this.#lead(one);
    }
    if (found.length > 0 || this.#open.taken.size > 0) return;
    if (this.#only !== undefined || this.#watch.hasSession || (await isFinished(this.#paths))) {
      this.#isOver = true;
    } else if (!this.#hasWaited) {
      // A wrong address is an error now, rather than once the run has begun.
      await (await openRedis(this.#parts.connection, 'join', { signal: this.#stopped }))[Symbol.asyncDispose]();
      this.#hasWaited = true;
      this.#report({ type: 'join-wait', path: this.#paths.folder });
    }
    const { waitSeconds = Infinity } = this.#parts;
    if (!this.#isOver && performance.now() - this.#startedAt > waitSeconds * 1000)
      throw new DataDesignerError('cluster/no-run', { path: this.#paths.folder, seconds: waitSeconds });
  }

  #isDone(): boolean {
    return this.#isOver || this.#hasLeft || this.#mustEnd;
  }

  get #mustEnd(): boolean {
    return this.#stopped.aborted || this.#open.failing.aborted;
  }

  /** How long until it polls again; undefined if there can be no further run. */
  get #pauseMs(): number | undefined {
    const { taken } = this.#open;
    const hasWhole = [...taken.values()].some(({ paths }) => paths.folder === this.#paths.folder);
    if (hasWhole) return undefined;
    return taken.size > 0 ? POLL_EVERY_MS.busy : POLL_EVERY_MS.idle;
  }

  #take(found: FoundRun): void {
    const { run, paths } = found;
    this.#watch.hasSession ||= paths.folder !== this.#paths.folder;
    const work = async (): Promise<void> => {
      const end = await takePart(found, this.#optionsIn(found));
      if (end === 'left') this.#hasLeft = true;
      if (this.#watch.hasSession) return;
      this.#only = run;
      this.#isOver = end === 'over';
    };
    this.#open.add(found, work());
  }

  #lead(found: FoundSession): void {
    const { folder: path } = found.paths;
    const options = this.#optionsIn(found);
    options.onJoinEvent({ type: 'join-lead', path });
    this.#open.add(found, leadFound(found, options, this.#watch));
  }

  #optionsIn({ run, paths: { folder } }: JoinTarget): PartOptions {
    // A run has options of these names.
    const { folder: _f, run: _r, drain, onEvent, functionsIn, ...others } = this.#parts;
    return {
      ...others,
      functions: functionsIn?.(folder) ?? others.functions,
      isKnown: this.#hasWaited || this.#watch.isAccepted,
      onAccepted: () => this.#watch.accepted(),
      drain: AbortSignal.any([drain, this.#open.failing]),
      machine: this.#machine,
      joinProgress: this.#progress,
      watch: this.#redis,
      onEnding: (reason) => (this.#ended ??= reason),
      onFailure: (failure) => this.#open.fail(failure),
      onJoinEvent: (event) => {
        if (event.type === 'join-lead') this.#watch.led(run);
        this.#report(event);
      },
      onEvent: (event) => onEvent({ ...event, folder }),
    };
  }

  readonly #report = (event: JoinEvent): void => this.#parts.onEvent(event);

  /** The coordinator unlocks the dataset right after it has announced that the run is over: then it can be loaded. */
  async #untilUnlocked(run: string): Promise<void> {
    for (const end = performance.now() + UNLOCK_MS; performance.now() < end; await sleep(UNLOCK_POLL_MS)) {
      if ((await clusterOfLock(this.#paths.lock)) !== run) return;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch[Symbol.asyncDispose]();
  }
}
