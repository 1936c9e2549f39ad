import { randomUUID } from 'node:crypto';
import type { ClusterConnection } from '../redis/cluster-connection.ts';
import type { DatasetPaths } from '@data-designer/dataset';
import { openRedis, type RedisLink } from '../redis/open-redis.ts';
import { RunState } from '../redis/run-state.ts';
import type { SessionRecord } from '../start-record.ts';
import { type Timing, timingOf } from '../timing.ts';

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
  #watched: Watched | undefined;
  #missingSince: number | undefined;
  #hasTakenPart = false;
  #hasLed = false;
  /** Why this machine cannot coordinate a session, by its id. */
  readonly #unfit = new Map<string, string>();
  readonly #told = new Set<string>();
  readonly #onOrphan: (orphan: { readonly path: string; readonly reason: string }) => void;

  /** `onOrphan` is told of a session whose coordinator is lost and which this machine cannot continue. */
  constructor(
    connection: ClusterConnection,
    onOrphan: (orphan: { readonly path: string; readonly reason: string }) => void,
  ) {
    this.#connection = connection;
    this.#onOrphan = onOrphan;
  }

  /** This machine has tried to coordinate a session, and could not. */
  refuse(run: string, reason: string): void {
    this.#unfit.set(run, reason);
  }

  /** Follows what this machine does in the runs of the session. */
  take({ type }: { readonly type: string }): void {
    this.#hasTakenPart ||= type === 'join-progress';
    this.#hasLed ||= type === 'join-lead';
  }

  /** Takes the lease of a session without coordinator; false if it has one, or its coordinator may return soon. */
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
      if (performance.now() - this.#missingSince < this.#patience(timing)) return false;
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
    if (session.kind === 'workflow' && 'reason' in session.successor) return session.successor.reason;
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
    return this.#hasTakenPart ? coordinatorMs / 2 : coordinatorMs * 2;
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
