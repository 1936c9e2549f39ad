import type { Job, JobJson, Queue, Worker } from 'bullmq';
import type { Timing } from '../timing.ts';
import { type ClusterLibraries, loadLibraries, type RedisLink } from './open-redis.ts';

/** A job names its row group and nothing else: the plan stands in `run.json`. */
interface GroupJob {
  readonly group: number;
}

const NAME = 'groups';
/** The queue counts machines that were lost with a job, and never forgets; the folder counts by row group instead. */
const MAX_STALLED = 1000;
/** How many jobs are added in one call. */
const ADDED_AT_ONCE = 1000;

/** The row groups that wait for a machine, or that a machine has, in the queue of a run. */
export class GroupQueue implements AsyncDisposable {
  readonly #queue: Queue<GroupJob>;
  readonly link: RedisLink;

  private constructor(queue: Queue<GroupJob>, link: RedisLink) {
    this.#queue = queue;
    this.link = link;
    queue.on('error', (error) => reportTo(error, link));
  }

  /** Opens the queue of a run. */
  static async open(link: RedisLink): Promise<GroupQueue> {
    const { bullmq } = await loadLibraries();
    return new GroupQueue(
      new bullmq.Queue(NAME, {
        connection: link.client,
        prefix: link.prefix,
        skipVersionCheck: true,
        streams: { events: { maxLen: 100 } },
      }),
      link,
    );
  }

  /** Adds groups; those that the queue has are left alone. */
  async add(groups: readonly number[]): Promise<void> {
    for (let from = 0; from < groups.length; from += ADDED_AT_ONCE) {
      await this.#queue.addBulk(
        groups.slice(from, from + ADDED_AT_ONCE).map((group) => ({
          name: 'group',
          data: { group },
          opts: { jobId: idOf(group), attempts: 1, removeOnComplete: true, removeOnFail: true },
        })),
      );
    }
  }

  /** The groups that wait, and those that machines have. */
  async groups(): Promise<readonly number[]> {
    const [waiting, active] = await Promise.all([this.#list('wait'), this.#list('active')]);
    return [...waiting, ...active];
  }

  /** Removes the queue with everything in it. */
  async remove(): Promise<void> {
    await this.#queue.obliterate({ force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.link.within(CLOSE_MS, this.#queue.close());
  }

  async #list(state: 'wait' | 'active'): Promise<readonly number[]> {
    const ids = await this.link.client.lrange(this.#queue.toKey(state), 0, -1);
    return ids.flatMap((id) => groupOfJob(id) ?? []);
  }
}

/** How many row groups there are for how many machines. */
export interface QueueState {
  readonly waiting: number;
  readonly active: number;
  readonly machines: number;
}

/** What a worker uses. */
interface GroupWorkerParts {
  readonly link: RedisLink;
  readonly timing: Timing;
  /** How many groups it takes at a time. */
  readonly slots: number;
  /** Whether the groups that this machine has are too few for its permits. */
  readonly needsMore: () => boolean;
  /** Makes a group; false gives it back to the queue. Must not reject. */
  readonly make: (group: number) => Promise<boolean>;
  /** Called when the queue knows that a group is made or given back. */
  readonly onEnded: (group: number) => void;
  /** Called with groups whose lease could not be renewed. */
  readonly onLeaseLost: (groups: readonly number[]) => void;
  /** Called when a group is made and there is no further one. */
  readonly onIdle: () => void;
}

/**
 * Takes groups from the queue and works on several at a time; holds each by a lease that it renews. It fetches jobs itself
 * rather than giving BullMQ a processor: a processor takes as many jobs as it can, which leaves none to other machines, blocks
 * a connection, and asks for jobs again and again while there are none.
 */
export class GroupWorker {
  readonly #parts: GroupWorkerParts;
  readonly #worker: Worker<GroupJob>;
  readonly #Job: ClusterLibraries['bullmq']['Job'];
  readonly #startedAt = performance.now();
  /** The jobs that this machine has, with the tokens of their leases. */
  readonly #held = new Map<Job<GroupJob>, string>();
  readonly #renewal: NodeJS.Timeout;
  #queue: QueueState = { waiting: 0, active: 0, machines: 1 };
  #tokens = 0;
  #isPaused = false;
  #isTaking = false;
  #isRenewing = false;

  private constructor(parts: GroupWorkerParts, { Worker, Job }: ClusterLibraries['bullmq']) {
    this.#parts = parts;
    const { link, timing } = parts;
    this.#Job = Job;
    this.#worker = new Worker<GroupJob>(NAME, null, {
      connection: link.client,
      prefix: link.prefix,
      autorun: false,
      skipVersionCheck: true,
      lockDuration: timing.leaseMs,
      stalledInterval: timing.stalledMs,
      maxStalledCount: MAX_STALLED,
    });
    this.#worker.on('error', (error) => reportTo(error, link));
    this.#renewal = setInterval(() => void this.#renew(), timing.leaseMs * RENEWED_AFTER).unref();
  }

  /** Opens a worker, which takes no groups before `serve`. */
  static async open(parts: GroupWorkerParts): Promise<GroupWorker> {
    return new GroupWorker(parts, (await loadLibraries()).bullmq);
  }

  /** Takes the part of this machine of the waiting groups. */
  serve(queue: QueueState): void {
    this.#queue = { ...queue };
    void this.#fetch();
  }

  /** Takes a group if this machine needs one now, by what is known of the queue. */
  takeIfNeeded(): void {
    if (this.#mayTake) void this.#fetch();
  }

  /** Puts groups of lost machines back into the queue from now on; one machine of a run does that. */
  async watchLeases(): Promise<void> {
    await this.#worker.startStalledCheckTimer();
  }

  /** Takes no further groups. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Ends the worker; groups that it still has go to other machines when their lease is over. */
  async close(): Promise<void> {
    this.pause();
    clearInterval(this.#renewal);
    await this.#parts.link.within(CLOSE_MS, this.#worker.close(true));
  }

  /**
   * Whether the next group is for this machine: all machines have equal parts of the groups that are left, and while there
   * are few, a machine takes only what it needs.
   */
  get #mayTake(): boolean {
    const { waiting, active, machines } = this.#queue;
    const { slots, timing, needsMore } = this.#parts;
    if (this.#isPaused || waiting <= 0) return false;
    const { size } = this.#held;
    // Another machine may be about to join.
    const isNew = performance.now() - this.#startedAt < timing.beatMs * FIRST_BEATS;
    const part = Math.ceil((waiting + active) / Math.max(1, isNew ? machines + 1 : machines));
    if (size >= Math.min(slots, part)) return false;
    const areMany = !isNew && waiting >= slots * machines;
    return areMany || size === 0 || needsMore();
  }

  async #fetch(): Promise<void> {
    if (this.#isTaking) return;
    this.#isTaking = true;
    try {
      while (this.#mayTake) {
        const token = `${this.#worker.id}:${this.#tokens++}`;
        const job = await this.#worker.getNextJob(token, { block: false });
        if (job) this.#hold(job, token);
        else this.#noneWaits();
      }
    } catch (thrown) {
      this.#parts.link.failed(thrown);
      this.#noneWaits();
    } finally {
      this.#isTaking = false;
    }
  }

  /** There is no job, or no Redis; the next answer to a report has how many wait. */
  #noneWaits(): void {
    this.#queue = { ...this.#queue, waiting: 0 };
  }

  #hold(job: Job<GroupJob>, token: string): void {
    const { waiting, active, machines } = this.#queue;
    this.#queue = { waiting: waiting - 1, active: active + 1, machines };
    this.#held.set(job, token);
    void this.#take(job, token);
  }

  async #take(job: Job<GroupJob>, token: string): Promise<void> {
    const isMade = await this.#parts.make(job.data.group);
    this.#held.delete(job);
    const { waiting, active, machines } = this.#queue;
    this.#queue = { waiting, active: active - 1, machines };
    try {
      // Without its lease it is no longer this machine's.
      if (isMade) await this.#complete(job, token);
      else await job.moveToWait(token);
    } catch (thrown) {
      this.#parts.link.failed(thrown);
      void this.#fetch();
    }
    this.#parts.onEnded(job.data.group);
    if (isMade && this.#held.size === 0) this.#parts.onIdle();
  }

  /** Removes a job, and takes the next one in the same call. */
  async #complete(job: Job<GroupJob>, token: string): Promise<void> {
    const mayTake = this.#mayTake;
    const next: unknown = await job.moveToCompleted(undefined, token, mayTake);
    const [data, id]: readonly unknown[] = Array.isArray(next) ? next : [];
    if (isJobData(data) && typeof id === 'string') this.#hold(this.#Job.fromJSON(this.#worker, data, id), token);
    else if (mayTake) this.#noneWaits();
  }

  async #renew(): Promise<void> {
    if (this.#held.size === 0 || this.#isRenewing) return;
    this.#isRenewing = true;
    const held = new Map([...this.#held].map(([{ id = '' }, token]) => [id, token]));
    try {
      const lost = await this.#worker.extendJobLocks([...held.keys()], [...held.values()], this.#parts.timing.leaseMs);
      const stillHeld = new Set([...this.#held.keys()].map(({ id }) => id));
      this.#parts.onLeaseLost(lost.flatMap((id) => (stillHeld.has(id) ? (groupOfJob(id) ?? []) : [])));
    } catch (thrown) {
      this.#parts.link.failed(thrown);
    } finally {
      this.#isRenewing = false;
    }
  }
}

/** How long the end of a worker or a queue waits for Redis. */
const CLOSE_MS = 1000;
/** A lease is renewed after this part of it. */
const RENEWED_AFTER = 0.4;
/** How long a new machine leaves a part of the groups for a further one, in beats. */
const FIRST_BEATS = 2;

/** BullMQ reports commands that failed, and the errors of connections, which are opened again. */
function reportTo(error: Error, { watch, address, failed }: RedisLink): void {
  if (error.name === 'ReplyError') failed(error);
  else watch.disconnected(address, error);
}

function isJobData(data: unknown): data is JobJson {
  return typeof data === 'object' && data !== null;
}

/** A job's id must not be a number. */
function idOf(group: number): string {
  return `g-${group}`;
}

export function groupOfJob(id: string): number | undefined {
  const digits = /^g-(\d+)$/.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
