import type { MachineReport } from '@data-designer/engine/parts';
import { type DataDesignerError, isFields, type WireFailure } from '@data-designer/core';
import type { Timing } from '../timing.ts';
import type { SentReport } from './exchange.ts';
import { groupOfJob, type QueueState } from './group-queue.ts';
import type { RedisLink } from './open-redis.ts';

/** The messages of the coordinator to all machines. */
export interface Announcement {
  /** Whether the run ends before all rows are made; the folder holds the reason. */
  readonly hasEnding: boolean;
  /** Whether the dataset is finished, as far as it goes. */
  readonly isOver: boolean;
  /** Why a run that is over ended early: its folder no longer says so. */
  readonly ended?: WireFailure | undefined;
}

/** The report of a machine, which counts for a few seconds. */
export interface Beat extends MachineReport {
  /** How many reports the machine has made. */
  readonly count: number;
  /** Whether it makes no further groups because the run ends. */
  readonly hasStopped: boolean;
  /** Why the machine wants the run to end: the budget of all machines is spent. */
  readonly end?: WireFailure | undefined;
  /** Whether this is its last report. */
  readonly hasLeft?: boolean;
}

/** What the coordinator sends with its report: it renews its lease and reads the reports of the others. */
export interface PollRequest {
  readonly hasEnding: boolean;
  /** How many machines take row groups. */
  readonly machines: number;
  /** The machines that are new, and whether the coordinator sees their file in the shared folder. */
  readonly accepted: ReadonlyMap<string, boolean>;
}

/** A report with what goes with it. */
interface Report {
  readonly beat: Beat;
  /** The groups that this machine has committed since its last report. */
  readonly committed: readonly number[];
  /** Whether the coordinator is to poll at once. */
  readonly isUrgent: boolean;
  readonly poll?: PollRequest | undefined;
}

/** What a machine learns from the others. */
export interface Answer {
  readonly announcement: Announcement | undefined;
  /** The machine that coordinates the run; undefined if none does. */
  readonly coordinator: string | undefined;
  /** Whether the coordinator sees this machine's file in the shared folder; undefined before it has polled. */
  readonly isAccepted: boolean | undefined;
  readonly queue: QueueState;
  /** For the coordinator. */
  readonly poll: PollReply | undefined;
}

/** What the coordinator reads. */
export interface PollReply {
  readonly beats: readonly Beat[];
  /** The machines that know whether they are accepted. */
  readonly accepted: ReadonlyMap<string, boolean>;
  /** The groups that machines have reported as committed. */
  readonly committed: readonly number[];
  /** The groups that machines have in the queue. */
  readonly active: readonly number[];
}

/** Takes or renews the lease of the coordinator: returns 1 if this machine has it. */
const LEAD = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`;

/** Gives the lease of the coordinator to another machine: returns 1 if this machine had it. */
const PASS = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

const ENDING: Announcement = { hasEnding: true, isOver: false };

/** What the machines of a run report to each other through Redis. All of it may be lost: the machines write it again. */
export class RunState {
  readonly #link: RedisLink;
  readonly #timing: Timing;

  constructor(link: RedisLink, timing: Timing) {
    this.#link = link;
    this.#timing = timing;
  }

  /** The connections to Redis. */
  get link(): RedisLink {
    return this.#link;
  }

  /** A report as it is sent, with an exchange of limits or alone. */
  sent({ beat, committed, isUrgent, poll }: Report): SentReport {
    const { silenceMs, coordinatorMs } = this.#timing;
    const asked = poll && {
      leaseMs: coordinatorMs,
      machines: poll.machines,
      announcement: poll.hasEnding ? JSON.stringify(ENDING) : undefined,
      accepted: Object.fromEntries([...poll.accepted].map(([id, isAccepted]) => [id, isAccepted ? 'yes' : 'no'])),
    };
    const ask = { id: beat.id, silenceMs, committed, isUrgent, poll: asked };
    return { ask: JSON.stringify(ask), beat: JSON.stringify(beat) };
  }

  /** Whether no machine reports, and none coordinates the run. */
  async hasNoMachine(): Promise<boolean> {
    const { client, keys } = this.#link;
    if ((await client.exists(keys('coordinator'))) > 0) return false;
    const [[seconds], reports] = await Promise.all([client.time(), client.hvals(keys('reports'))]);
    const since = Number(seconds) * 1000 - this.#timing.silenceMs;
    return reports.every(
      (text) => Number.parseInt(text, 10) < since || readBeat(text.slice(text.indexOf(' '))).hasLeft,
    );
  }

  /** The machine that coordinates the run; undefined if none does. */
  async coordinator(): Promise<string | undefined> {
    return (await this.#link.client.get(this.#link.keys('coordinator'))) ?? undefined;
  }

  /** Takes or renews the coordinator's lease; false if another machine has it. */
  async lead(id: string): Promise<boolean> {
    const { client, keys } = this.#link;
    return (await client.eval(LEAD, 1, keys('coordinator'), id, this.#timing.coordinatorMs)) === 1;
  }

  /** Gives the coordinator's lease to another machine. */
  async pass(id: string, to: string): Promise<void> {
    const { client, keys } = this.#link;
    await client.eval(PASS, 1, keys('coordinator'), id, to, this.#timing.coordinatorMs);
    await this.#link.exchange.requestReport(to);
  }

  /** Gives up the coordinator's lease. */
  async release(id: string): Promise<void> {
    const { client, keys } = this.#link;
    await client.eval(RELEASE, 1, keys('coordinator'), id);
  }

  /** What the coordinator has announced last. */
  async announcement(): Promise<Announcement | undefined> {
    return readAnnouncement(await this.#link.client.get(this.#link.keys('announcement')));
  }

  /** Announces to all machines that the run is over, and removes everything else. */
  async endRun(reason: DataDesignerError | undefined): Promise<void> {
    const { client, keys } = this.#link;
    const over: Announcement = { hasEnding: false, isOver: true, ended: reason?.toWire() };
    await client.set(keys('announcement'), JSON.stringify(over), 'EX', KEPT_SECONDS);
    await this.#link.exchange.requestReport();
    await client.del(...['coordinator', 'committed', 'reports', 'accepted', 'workers'].map(keys));
  }
}

/** How long machines that were suspended find out that the run is over. */
const KEPT_SECONDS = 86_400;

/** Reads what the script answers to a report. */
export function readAnswer(answer: unknown): Answer | undefined {
  if (!Array.isArray(answer)) return undefined;
  const [coordinator, announcement, accepted, waiting, active, machines, poll]: readonly unknown[] = answer;
  return {
    coordinator: textOf(coordinator),
    announcement: readAnnouncement(announcement),
    isAccepted: typeof accepted === 'string' ? accepted === 'yes' : undefined,
    queue: { waiting: Number(waiting), active: Number(active), machines: Number(machines ?? 1) },
    poll: Array.isArray(poll) ? readPollReply(poll) : undefined,
  };
}

function readPollReply([beats, accepted, committed, active]: readonly unknown[]): PollReply {
  const fields = textsOf(accepted);
  return {
    beats: textsOf(beats).map(readBeat),
    accepted: new Map(fields.flatMap((id, at) => (at % 2 === 0 ? [[id, fields[at + 1] === 'yes'] as const] : []))),
    committed: textsOf(committed).map(Number),
    active: textsOf(active).flatMap((id) => groupOfJob(id) ?? []),
  };
}

function textsOf(values: unknown): readonly string[] {
  return Array.isArray(values) ? values.map(String) : [];
}

function readBeat(text: string): Beat {
  return JSON.parse(text) as Beat;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readAnnouncement(text: unknown): Announcement | undefined {
  if (typeof text !== 'string') return undefined;
  const value: unknown = JSON.parse(text);
  return isFields(value) && typeof value.isOver === 'boolean' ? (value as unknown as Announcement) : undefined;
}
