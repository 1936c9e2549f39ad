import type { Job, Queue, Worker } from 'bullmq';
import type { Timing } from '../timing.ts';
import { type ClusterLibraries, loadLibraries, type RedisLink } from './open-redis.ts';

/** A job names its row group and nothing else: the plan stands in `run.json`. */
interface GroupJob {
  readonly group: number;
}

const NAME = 'groups';
/** The queue counts machines that were lost with a job, and never forgets; the folder counts by row group instead. */
const MAX_STALLED = 1000;
/** How long a worker may see no job although the queue has some. */
const SILENT_MS = 60_000;
/** How many jobs are added in one call. */
const ADDED_AT_ONCE = 1000;

/** The row groups that wait for a machine, or that a machine has, in the queue of a run. */
export class GroupQueue implements AsyncDisposable {
  readonly #queue: Queue<GroupJob>;
  readonly #link: RedisLink;

  private constructor(queue: Queue<GroupJob>, link: RedisLink) {
    this.#queue = queue;
    this.#link = link;
    queue.on('error', () => {});
  }

  /** Opens the queue of a run. */
  static async open(link: RedisLink): Promise<GroupQueue> {
    const { bullmq } = await loadLibraries();
    return new GroupQueue(new bullmq.Queue(NAME, { connection: link.client, prefix: link.prefix }), link);
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
  async groups(): Promise<{ readonly waiting: readonly number[]; readonly active: readonly number[] }> {
    const [waiting, active] = await Promise.all([this.#list('wait'), this.#list('active')]);
    return { waiting, active };
  }

  /** Removes the queue with everything in it. */
  async remove(): Promise<void> {
    await this.#queue.obliterate({ force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.close().catch(() => {});
  }

  async #list(state: 'wait' | 'active'): Promise<readonly number[]> {
    const ids = await this.#link.client.lrange(this.#queue.toKey(state), 0, -1);
    return ids.flatMap((id) => groupOf(id) ?? []);
  }
}

/** Takes groups from the queue and works on several at a time. Holds each by a lease that it renews. */
export class GroupWorker {
  readonly #parts: GroupWorkerParts;
  readonly #libraries: ClusterLibraries['bullmq'];
  #worker: Worker<GroupJob>;
  #isPaused = false;
  #tookAt = performance.now();

  private constructor(parts: GroupWorkerParts, libraries: ClusterLibraries['bullmq']) {
    this.#parts = parts;
    this.#libraries = libraries;
    this.#worker = this.#start();
  }

  /** Starts to take groups. */
  static async start(parts: GroupWorkerParts): Promise<GroupWorker> {
    return new GroupWorker(parts, (await loadLibraries()).bullmq);
  }

  /** Takes no further groups. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#worker.pause(true);
  }

  /** Starts again if the queue has jobs and the worker has taken none for long: a lost connection may have silenced it. */
  async restartSilent(waiting: () => Promise<number>): Promise<void> {
    if (this.#isPaused || performance.now() - this.#tookAt < SILENT_MS) return;
    this.#tookAt = performance.now();
    if ((await waiting()) === 0) return;
    const silent = this.#worker;
    this.#worker = this.#start();
    await silent.close(true).catch(() => {});
  }

  /** Ends the worker; groups that it still has go to other machines when their lease is over. */
  async close(): Promise<void> {
    await this.#worker.close(true).catch(() => {});
  }

  #start(): Worker<GroupJob> {
    const { link, timing, slots, onLeaseLost } = this.#parts;
    const worker = new this.#libraries.Worker<GroupJob>(NAME, (job, token) => this.#take(job, token), {
      connection: link.client,
      prefix: link.prefix,
      concurrency: slots,
      lockDuration: timing.leaseMs,
      stalledInterval: timing.stalledMs,
      maxStalledCount: MAX_STALLED,
      drainDelay: 5,
    });
    // Redis may be away for a while; the worker connects again.
    worker.on('error', () => {});
    worker.on('lockRenewalFailed', (ids) => onLeaseLost(ids.flatMap((id) => groupOf(id) ?? [])));
    return worker;
  }

  async #take(job: Job<GroupJob>, token: string | undefined): Promise<void> {
    this.#tookAt = performance.now();
    const isMade = await this.#parts.make(job.data.group);
    if (isMade) return;
    // Another machine takes it at once. Without its lease it is no longer this machine's.
    await job.moveToWait(token).catch(() => {});
    throw new this.#libraries.WaitingError();
  }
}

/** What a worker uses. */
interface GroupWorkerParts {
  readonly link: RedisLink;
  readonly timing: Timing;
  /** How many groups it takes at a time. */
  readonly slots: number;
  /** Makes a group; false gives it back to the queue. Must not reject. */
  readonly make: (group: number) => Promise<boolean>;
  /** Called with groups whose lease could not be renewed. */
  readonly onLeaseLost: (groups: readonly number[]) => void;
}

/** A job's id must not be a number. */
function idOf(group: number): string {
  return `g-${group}`;
}

function groupOf(id: string): number | undefined {
  const digits = /^g-(\d+)$/.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
