import { randomUUID } from 'node:crypto';
import type { ClusterConnection } from '../redis/cluster-connection.ts';
import { clusterPaths, type DatasetPaths, isOffered } from '@data-designer/dataset';
import { openRedis, type RedisLink } from '../redis/open-redis.ts';
import { RunState } from '../redis/run-state.ts';
import type { SessionRecord } from '../start-record.ts';
import { type Timing, timingOf, within } from '../timing.ts';

/** How long this machine waits for Redis when it gives a lease back. */
const RESIGN_MS = 2000;

/** A session between two of its runs. */
export interface FoundSession<Record extends SessionRecord = SessionRecord> {
  readonly run: string;
  readonly session: Record;
  readonly paths: DatasetPaths;
}

/** The lease of a session as this machine sees it. */
interface Watched {
  readonly run: string;
  readonly link: RedisLink;
  readonly state: RunState;
}

/** Watches, between two runs of a session, whether it still has a coordinator. */
export class SessionWatch implements AsyncDisposable {
  /** The name under which this machine takes the lease. */
  readonly holder = randomUUID();
  /** Whether there was a session: then its end is the end of the work. */
  hasSession = false;
  readonly #connection: ClusterConnection;
  readonly #isOwn: boolean;
  #watched: Watched | undefined;
  #missingSince: number | undefined;
  #isAccepted = false;
  #hasLed = false;
  /** Why this machine cannot coordinate a session, by its id. */
  readonly #unfit = new Map<string, string>();
  readonly #told = new Set<string>();
  readonly #onOrphan: (orphan: { readonly path: string; readonly reason: string }) => void;

  /** `onOrphan` is told of a session whose coordinator is lost and which this machine cannot continue; one of its own it can. */
  constructor(
    { connection, isOwn = false }: { readonly connection: ClusterConnection; readonly isOwn?: boolean },
    onOrphan: (orphan: { readonly path: string; readonly reason: string }) => void,
  ) {
    this.#connection = connection;
    this.#isOwn = isOwn;
    this.#onOrphan = onOrphan;
  }

  /** This machine has tried to coordinate a session, and could not: others may take the lease. */
  async refuse(run: string, reason: string): Promise<void> {
    this.#unfit.set(run, reason);
    if (this.#watched?.run === run) await within(RESIGN_MS, this.#watched.state.resign(this.holder));
  }

  /** This machine has taken part in a run of the session. */
  take({ isAccepted, hasLed }: { readonly isAccepted: boolean; readonly hasLed: boolean }): void {
    this.#isAccepted ||= isAccepted;
    this.#hasLed ||= hasLed;
  }

  /**
   * Takes the lease of a session without coordinator; false if it has one, or its coordinator may return soon. A coordinator
   * that leaves offers its place in the folder: it does not return.
   */
  async mayLead(found: FoundSession): Promise<boolean> {
    const { run, session } = found;
    this.hasSession = true;
    const timing = timingOf(session.leaseMs);
    const { state } = await this.#watch(run, timing);
    try {
      if ((await state.coordinator()) !== undefined) {
        this.#missingSince = undefined;
        this.#hasLed = false;
        return false;
      }
      this.#missingSince ??= performance.now();
      const isFree = this.#isAccepted && !this.#unfit.has(run) && isOffered(clusterPaths(found.paths, run));
      if (!isFree && performance.now() - this.#missingSince < this.#patience(timing)) return false;
      const reason = this.#reasonAgainst(found);
      if (reason !== undefined) return this.#tellOrphan(found, reason);
      this.#missingSince = undefined;
      return await state.lead(this.holder);
    } catch {
      // Redis is away.
      return false;
    }
  }

  /** Why this machine cannot continue a session; undefined if it can. */
  #reasonAgainst({ run, session }: FoundSession): string | undefined {
    if (session.kind === 'workflow' && 'reason' in session.successor && !this.#isOwn) return session.successor.reason;
    return this.#unfit.get(run);
  }

  #tellOrphan({ run, paths }: FoundSession, reason: string): false {
    if (!this.#told.has(run)) this.#onOrphan({ path: paths.folder, reason });
    this.#told.add(run);
    return false;
  }

  /** A machine that has finished the run of a lost coordinator continues immediately; a machine that was in no run waits for others. */
  #patience({ coordinatorMs }: Timing): number {
    if (this.#hasLed) return 0;
    return this.#isAccepted ? coordinatorMs / 2 : coordinatorMs * 2;
  }

  async #watch(run: string, timing: Timing): Promise<Watched> {
    if (this.#watched?.run === run) return this.#watched;
    await this[Symbol.asyncDispose]();
    const link = await openRedis(this.#connection, run);
    this.#watched = { run, link, state: new RunState(link, timing) };
    return this.#watched;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watched?.link[Symbol.asyncDispose]();
    this.#watched = undefined;
  }
}
