import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@data-designer/core';
import type { RunningSimulator } from '@data-designer/simulator';
import type { TestRedis } from '../start-redis.ts';
import { type ChaosMachines, LEASE_MS } from './machines.ts';

/** What happens to a run: to a machine, or to Redis. */
const KINDS = ['kill', 'freeze', 'flush', 'restart'] as const;
type Kind = (typeof KINDS)[number];

/** Something that happens a while after so many requests, which says more on a busy computer than a time alone. */
interface Disturbance {
  readonly kind: Kind;
  readonly requests: number;
  readonly ms: number;
  /** Which of the machines that run, from 0 to 1. */
  readonly whom: number;
  /** How long a machine or Redis is away. */
  readonly awayMs: number;
  /** Whether a new machine joins after a kill. */
  readonly isReplaced: boolean;
}

const MOST = 4;
/** Of Redis: sometimes longer than the lease. */
const AWAY_MS = 5000;
const SETTLED_MS = 500;
const LOOK_MS = 25;
/** A run that takes longer hangs. */
const HANG_MS = 180_000;

/** What happens to the dataset with this generator; `needed` requests make it. */
export function drawDisturbances(random: Random, needed: number): readonly Disturbance[] {
  const drawn = Array.from({ length: 1 + random.below(MOST) }, () => ({
    kind: KINDS[random.below(KINDS.length)] as Kind,
    requests: random.below(needed),
    ms: random.below(SETTLED_MS),
    whom: random.float(),
    awayMs: random.float(),
    isReplaced: random.below(2) === 0,
  }));
  return drawn
    .map(({ awayMs, ...one }) => {
      const ms = one.kind === 'freeze' ? LEASE_MS * (1.3 + 1.5 * awayMs) : AWAY_MS * awayMs ** 2;
      return { ...one, awayMs: Math.round(ms) };
    })
    .toSorted((a, b) => a.requests - b.requests);
}

/** What a run is disturbed with. */
export interface DisturbOptions {
  readonly machines: ChaosMachines;
  readonly simulator: RunningSimulator;
  readonly redis: TestRedis;
  readonly disturbances: readonly Disturbance[];
  /** How long an answer takes at most. */
  readonly inFlightMs: number;
}

/** Disturbs a run until it is over; returns what happened, one line each. Throws if the run hangs. */
export async function disturb(options: DisturbOptions): Promise<readonly string[]> {
  const { machines, disturbances } = options;
  const happened: string[] = [];
  const wakings: Promise<void>[] = [];
  const deadline = performance.now() + HANG_MS;
  for (const disturbance of disturbances) {
    if (!(await isReached(disturbance, options, deadline))) break;
    happened.push(await apply(disturbance, options, wakings));
    if (machines.alive.length === 0) machines.start();
  }
  while (machines.alive.length > 0) {
    if (performance.now() > deadline) {
      const left = machines.alive.map(({ name }) => name).join(', ');
      throw new Error(`the run hangs after ${happened.join(', ')}; alive: ${left}`);
    }
    await sleep(LOOK_MS);
  }
  await Promise.all(wakings);
  return happened;
}

/** Waits for the moment of a disturbance; false if the run is over before. */
async function isReached(
  { requests, ms }: Disturbance,
  { simulator, machines }: DisturbOptions,
  deadline: number,
): Promise<boolean> {
  while (machines.alive.length > 0 && performance.now() < deadline) {
    const stats = await (await fetch(`${simulator.origin}/stats?brief`)).json();
    if ((stats as { readonly requests: number }).requests >= requests) {
      await sleep(ms);
      return machines.alive.length > 0;
    }
    await sleep(LOOK_MS);
  }
  return false;
}

async function apply(
  { kind, requests, whom, awayMs, isReplaced }: Disturbance,
  { machines, redis, inFlightMs }: DisturbOptions,
  wakings: Promise<void>[],
): Promise<string> {
  const at = `after ${requests} requests`;
  if (kind === 'flush') {
    await redis.client.flushall();
    return `flush ${at}`;
  }
  if (kind === 'restart') {
    await redis.restart(awayMs);
    return `restart of Redis for ${awayMs} ms ${at}`;
  }
  const running = machines.alive.filter(({ state }) => state === 'runs');
  const victim = running[Math.floor(whom * running.length)];
  if (!victim) return `nothing ${at}`;
  if (kind === 'freeze') {
    wakings.push(machines.freeze(victim, awayMs));
    return `freeze of ${victim.name} for ${awayMs} ms ${at}`;
  }
  await machines.kill(victim, inFlightMs);
  if (isReplaced) machines.start();
  return `kill of ${victim.name} ${at}`;
}
