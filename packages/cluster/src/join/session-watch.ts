import type { FoundSession } from './find-runs.ts';
import type { JoinParts } from './joined-machine.ts';
import type { ClusterConnection } from '../redis/cluster-connection.ts';
import { NEVER, untilStopped } from '@data-designer/core';
import { clusterPaths, isOffered, sessionOf } from '@data-designer/dataset';
import type { MachineId } from '../machine/machine-id.ts';
import { openRedis, type RedisLink } from '../redis/open-redis.ts';
import type { RedisWatch } from '../redis/redis-watch.ts';
import { RunState } from '../redis/run-state.ts';
import { patienceOf, type Timing, timingOf } from '../timing.ts';

/** How long this machine waits for Redis when it gives a lease back. */
const RELEASE_MS = 2000;

/** The lease of a session as this machine sees it. */
interface Watched {
  readonly state: RunState;
  /** Since when it has had no coordinator. */
  missingSince: number | undefined;
  /** How many of its runs this machine had coordinated when the session last had a coordinator. */
  leadsBefore: number;
}

/** The machine that watches. */
interface WatchParts extends Pick<JoinParts, 'connection' | 'isOwn' | 'signal' | 'drain'> {
  readonly watch: RedisWatch;
  readonly machine: MachineId;
}

/** Watches sessions that have no run now: whether they still have a coordinator. */
export class SessionWatch implements AsyncDisposable {
  /** Whether there was a session: then its end is the end of the work. */
  hasSession = false;
  readonly #redis: RedisWatch;
  readonly #machine: MachineId;
  readonly #connection: ClusterConnection;
  readonly #isOwn: boolean;
  readonly #stopped: AbortSignal;
  #link: RedisLink | undefined;
  /** The sessions by their ids. */
  readonly #watched = new Map<string, Watched>();
  #isAccepted: boolean;
  /** How many runs of each session this machine has coordinated. */
  readonly #leads = new Map<string, number>();
  /** Why this machine cannot coordinate a session, by its id. */
  readonly #unfit = new Map<string, string>();
  readonly #reported = new Set<string>();
  readonly #onCannotLead: (session: { readonly path: string; readonly reason: string }) => void;

  /** `onCannotLead` is called with a session whose coordinator is lost and which this machine cannot continue. One of its own it can. */
  constructor(
    { connection, isOwn = false, signal, drain, watch, machine }: WatchParts,
    onCannotLead: (session: { readonly path: string; readonly reason: string }) => void,
  ) {
    this.#redis = watch;
    this.#machine = machine;
    this.#connection = connection;
    this.#isOwn = isOwn;
    this.#stopped = AbortSignal.any([signal, drain]);
    // It has seen the folder of the other machines.
    this.#isAccepted = isOwn;
    this.#onCannotLead = onCannotLead;
  }

  /** This machine has tried to coordinate a session, and could not: others may take the lease. */
  async refuse(run: string, reason: string): Promise<void> {
    this.#unfit.set(run, reason);
    const watched = this.#watched.get(run);
    if (watched) await watched.state.link.within(RELEASE_MS, watched.state.release(this.#machine.text));
  }

  /** Whether a coordinator has accepted this machine. */
  get isAccepted(): boolean {
    return this.#isAccepted;
  }

  /** The coordinator of a run of the session has accepted this machine. */
  accepted(): void {
    this.#isAccepted = true;
  }

  /** This machine coordinates a run of a session. */
  led(run: string): void {
    this.#leads.set(sessionOf(run), this.#leadsOf(run) + 1);
  }

  #leadsOf(run: string): number {
    return this.#leads.get(sessionOf(run)) ?? 0;
  }

  /**
   * Takes the lease of a session without coordinator; false if it has one, or its coordinator may return soon. A coordinator
   * that leaves offers its place in the folder: it does not return.
   */
  async mayLead(found: FoundSession): Promise<boolean> {
    this.hasSession = true;
    const timing = timingOf(found.session.leaseMs);
    const watched = await this.#watch(found.run, timing);
    const { state } = watched;
    try {
      // A command waits as long as Redis is away, and this machine may be stopped meanwhile.
      return await untilStopped(
        this.#decide(found, watched, timing),
        { signal: this.#stopped, drain: NEVER },
        async () => {},
      );
    } catch (thrown) {
      if (!this.#stopped.aborted) state.link.failed(thrown);
      return false;
    }
  }

  async #decide(found: FoundSession, watched: Watched, timing: Timing): Promise<boolean> {
    const { state } = watched;
    if ((await state.coordinator()) !== undefined) {
      watched.missingSince = undefined;
      watched.leadsBefore = this.#leadsOf(found.run);
      return false;
    }
    watched.missingSince ??= performance.now();
    const isFree = this.#isAccepted && !this.#unfit.has(found.run) && isOffered(clusterPaths(found.paths, found.run));
    if (!isFree && performance.now() - watched.missingSince < this.#patience(found.run, watched, timing)) return false;
    const reason = this.#reasonAgainst(found);
    if (reason !== undefined) return this.#reportCannotLead(found, reason);
    watched.missingSince = undefined;
    return await state.lead(this.#machine.text);
  }

  /** Why this machine cannot continue a session; undefined if it can. */
  #reasonAgainst({ run, session }: FoundSession): string | undefined {
    if (session.kind === 'workflow' && 'reason' in session.successor && !this.#isOwn) return session.successor.reason;
    return this.#unfit.get(run);
  }

  #reportCannotLead({ run, paths }: FoundSession, reason: string): false {
    if (!this.#reported.has(run)) this.#onCannotLead({ path: paths.folder, reason });
    this.#reported.add(run);
    return false;
  }

  /** A machine that has finished the run of a lost coordinator continues immediately; a machine that was in no run waits for others. */
  #patience(run: string, { leadsBefore }: Watched, timing: Timing): number {
    return this.#leadsOf(run) > leadsBefore ? 0 : patienceOf(timing, this.#isAccepted);
  }

  async #watch(run: string, timing: Timing): Promise<Watched> {
    const known = this.#watched.get(run);
    if (known) return known;
    this.#link ??= await openRedis(this.#connection, run, {
      isKnown: this.#isAccepted,
      signal: this.#stopped,
      watch: this.#redis,
    });
    const state = new RunState(this.#link.forRun(run), timing);
    const watched: Watched = { state, missingSince: undefined, leadsBefore: 0 };
    this.#watched.set(run, watched);
    return watched;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#link?.[Symbol.asyncDispose]();
  }
}
