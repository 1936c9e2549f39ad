import type { MachineReport } from '@data-designer/engine/parts';
import { isFields, type WireFailure } from '@data-designer/core';
import type { Timing } from '../timing.ts';
import type { RedisLink } from './open-redis.ts';

/** The messages of the coordinator to all machines. */
export interface Announcement {
  /** Whether the run ends before all rows are made; the folder holds the reason. */
  readonly hasEnding: boolean;
  /** Whether the dataset is finished, as far as it goes. */
  readonly isOver: boolean;
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

/** What a machine learns from the others. */
export interface Answer {
  readonly announcement: Announcement | undefined;
  /** The machine that coordinates the run; undefined if none does. */
  readonly coordinator: string | undefined;
  /** Whether the coordinator sees this machine's file in the shared folder; undefined before it has looked. */
  readonly isAccepted: boolean | undefined;
}

/** Takes or renews the lease of the coordinator: returns 1 if this machine has it. */
const LEAD = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

const RESIGN = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`;

/** Gives the lease of the coordinator to another machine: returns 1 if this machine had it. */
const PASS = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

/** How many notices of committed groups are read at a time. */
const NOTICES = 1000;

/** What the machines of a run tell each other through Redis. All of it may be lost: the machines write it again. */
export class RunState {
  readonly #link: RedisLink;
  readonly #timing: Timing;
  /** What the machines know of their acceptance. */
  #accepted: ReadonlyMap<string, unknown> = new Map();

  constructor(link: RedisLink, timing: Timing) {
    this.#link = link;
    this.#timing = timing;
  }

  /** Reports a machine, and reads what concerns it. */
  async beat(beat: Beat): Promise<Answer> {
    const { client, keys } = this.#link;
    const replies = await client
      .pipeline()
      .set(keys(`machine:${beat.id}`), JSON.stringify(beat), 'PX', Math.round(this.#timing.silenceMs))
      .mget(keys('announcement'), keys('coordinator'), keys(`accepted:${beat.id}`))
      .exec();
    const read = replies?.[1]?.[1];
    const [announcement, coordinator, accepted] = Array.isArray(read) ? read.map((value) => textOf(value)) : [];
    // The coordinator does not know this machine yet, or Redis has lost everything.
    if (accepted === undefined && coordinator !== beat.id) await client.sadd(keys('machines'), beat.id);
    return {
      announcement: announcement === undefined ? undefined : readAnnouncement(announcement),
      coordinator,
      isAccepted: accepted === undefined ? undefined : accepted === 'yes',
    };
  }

  /** The reports of all machines but one. */
  async others(own: string): Promise<readonly Beat[]> {
    const { client, keys } = this.#link;
    const ids = (await client.smembers(keys('machines'))).filter((id) => id !== own);
    if (ids.length === 0) return [];
    const names = ['machine', 'accepted'].flatMap((kind) => ids.map((id) => keys(`${kind}:${id}`)));
    const values = await client.mget(names);
    const [texts, accepted] = [values.slice(0, ids.length), values.slice(ids.length)];
    this.#accepted = new Map(ids.map((id, index) => [id, accepted[index]]));
    const gone = ids.filter((_, index) => texts[index] === null);
    if (gone.length > 0) {
      await client.srem(keys('machines'), ...gone);
      // One that reports again enters the list again.
      await client.del(...gone.map((id) => keys(`accepted:${id}`)));
    }
    return texts.flatMap((text) => (typeof text === 'string' ? (JSON.parse(text) as Beat) : []));
  }

  /** Whether no machine reports, and none coordinates the run. */
  async isDeserted(): Promise<boolean> {
    if ((await this.#link.client.exists(this.#link.keys('coordinator'))) > 0) return false;
    return (await this.others('')).every(({ hasLeft }) => hasLeft);
  }

  /** Makes the last report of a machine that leaves. */
  async leave(beat: Beat): Promise<void> {
    const { client, keys } = this.#link;
    const text = JSON.stringify({ ...beat, hasLeft: true });
    await client.set(keys(`machine:${beat.id}`), text, 'PX', Math.round(this.#timing.silenceMs));
  }

  /** Tells a machine whether the coordinator sees its file in the shared folder. */
  async accept(id: string, isAccepted: boolean): Promise<void> {
    const answer = isAccepted ? 'yes' : 'no';
    if (this.#accepted.get(id) === answer) return;
    await this.#link.client.set(this.#link.keys(`accepted:${id}`), answer, 'EX', KEPT_SECONDS);
  }

  /** The machine that coordinates the run; undefined if none does. */
  async coordinator(): Promise<string | undefined> {
    return (await this.#link.client.get(this.#link.keys('coordinator'))) ?? undefined;
  }

  /** Takes or renews the coordinator's lease; false if another machine has it. */
  async lead(id: string): Promise<boolean> {
    const { client, keys } = this.#link;
    return (await client.eval(LEAD, 1, keys('coordinator'), id, Math.round(this.#timing.coordinatorMs))) === 1;
  }

  /** Gives the coordinator's lease to another machine. */
  async pass(id: string, to: string): Promise<void> {
    const { client, keys } = this.#link;
    await client.eval(PASS, 1, keys('coordinator'), id, to, Math.round(this.#timing.coordinatorMs));
  }

  /** Gives up the coordinator's lease. */
  async resign(id: string): Promise<void> {
    const { client, keys } = this.#link;
    await client.eval(RESIGN, 1, keys('coordinator'), id);
  }

  /** Publishes the state of the run to all machines. */
  async announce(announcement: Announcement): Promise<void> {
    const { client, keys } = this.#link;
    // Machines that find nothing go on.
    if (!announcement.hasEnding && !announcement.isOver) return;
    await client.set(keys('announcement'), JSON.stringify(announcement), 'EX', KEPT_SECONDS);
  }

  /** Reports a committed group to the coordinator. */
  async notify(group: number): Promise<void> {
    await this.#link.client.rpush(this.#link.keys('committed'), group);
  }

  /** The groups whose commits the machines have reported since the last call. */
  async notices(): Promise<readonly number[]> {
    const told = await this.#link.client.lpop(this.#link.keys('committed'), NOTICES);
    return (told ?? []).map(Number);
  }

  /** Removes everything but the announcement that the run is over. */
  async clear(): Promise<void> {
    const { client, keys } = this.#link;
    const accepted = (await client.smembers(keys('machines'))).map((id) => `accepted:${id}`);
    await client.del(...['coordinator', 'committed', 'machines', ...accepted].map(keys));
  }
}

/** How long machines that were suspended find out that the run is over. */
const KEPT_SECONDS = 86_400;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readAnnouncement(text: string): Announcement | undefined {
  const value: unknown = JSON.parse(text);
  return isFields(value) && typeof value.isOver === 'boolean' ? (value as unknown as Announcement) : undefined;
}
