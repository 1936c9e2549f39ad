import { randomUUID } from 'node:crypto';
import type { Plan, Resource } from '@data-designer/core';
import type {
  AdmissionSettings,
  ClusterLimits,
  MachineShares,
  MachineUse,
  ResourceShare,
} from '@data-designer/gateway';
import { AdaptiveLimit, ADMISSION_SETTINGS } from '@data-designer/gateway/adaptive-limit';
import type { Exchange } from '../redis/exchange.ts';
import type { RedisLink } from '../redis/open-redis.ts';
import type { JointLimits } from '../start-record.ts';
import { HURRY } from '../redis/limits-script.ts';
import { type Law, type SharedEnds, SharedLaw } from './shared-law.ts';

const MICRO = 1_000_000;
/** How long a machine that leaves waits for Redis; its shares end by themselves. */
const LEAVE_MS = 1000;

/** The run whose limits are shared, and this machine. */
interface ClusterLimitsOptions {
  readonly plan: Pick<Plan, 'resources' | 'maxCost'>;
  /** A name of this process: another one after a restart. */
  readonly machine: string;
  /** The cost of all answers of earlier runs, in the currency of the prices. */
  readonly spentBefore: number;
  /** The run to which its cost belongs; the only one unless given. */
  readonly account?: string;
  /** What other runs have cost, once they are over. */
  readonly made?: () => JointLimits['made'];
  readonly admission?: AdmissionSettings | null | undefined;
}

/** The limits of a machine, in the thread that is connected to Redis. Disposing them gives the permits back. */
export interface OpenClusterLimits extends ClusterLimits, AsyncDisposable {
  /** Called after a suspension of the machine, before it has new shares; ends requests for row groups of other machines. */
  onWake: (() => Promise<void>) | undefined;
}

/** What the script answers. */
interface Reply extends MachineShares {
  readonly epoch: string;
  readonly base: number;
  /** The cost of machines that have left or are lost, by account, and of the others; the number of this answer. */
  readonly gone: Readonly<Record<string, number>>;
  readonly known: Readonly<Record<string, { readonly account: string; readonly cost: number }>>;
  readonly number: number;
  readonly isOwner: boolean;
  readonly resources: Readonly<Record<string, ResourceShare & { readonly isKnown: boolean }>>;
  /** For the owner: how requests of all machines ended, and how many are in flight. */
  readonly ends?: Readonly<Record<string, SharedEnds>>;
  readonly inFlight?: Readonly<Record<string, number>>;
}

/** Shares the limits of a run over Redis: permits and rates of its models, and its budget. */
export async function openClusterLimits(link: RedisLink, options: ClusterLimitsOptions): Promise<OpenClusterLimits> {
  const limits = new RedisLimits(link, options);
  await limits.listen();
  return limits;
}

/** Shares the limits of a run; those that other runs have in common with it, if there are any. */
export function openRunLimits(
  link: RedisLink,
  { made, ...options }: ClusterLimitsOptions,
  joint: JointLimits | undefined,
): Promise<OpenClusterLimits> {
  if (!joint) return openClusterLimits(link, options);
  const { id, resources, spentBefore, account } = joint;
  const shared = { spentBefore, account, made: made ?? (() => joint.made) };
  return openClusterLimits(link.forRun(id), { ...options, ...shared, plan: { ...options.plan, resources } });
}

class RedisLimits implements OpenClusterLimits {
  onWake: (() => Promise<void>) | undefined;
  readonly #link: RedisLink;
  readonly #exchange: Exchange;
  readonly #machine: string;
  readonly #settings: AdmissionSettings;
  readonly #models: readonly Resource[];
  /** What every exchange says. */
  readonly #constant: object;
  readonly #listeners = new Set<() => void>();
  readonly #laws = new Map<string, SharedLaw>();
  /** The laws that the others know. */
  readonly #told = new Map<string, Law>();
  /** What to enter again if Redis has lost it. */
  #seen:
    | (Pick<Reply, 'epoch' | 'base' | 'gone' | 'known' | 'number'> & { readonly laws: Readonly<Record<string, Law>> })
    | undefined;
  readonly #made: () => JointLimits['made'];
  #timer: NodeJS.Timeout | undefined;
  readonly #base: number;
  #mute = (): void => {};
  #isOver = false;

  constructor(link: RedisLink, options: ClusterLimitsOptions) {
    const { plan, machine, spentBefore, account = '', made = () => ({}), admission } = options;
    this.#link = link;
    this.#exchange = link.exchange;
    this.#machine = machine;
    this.#settings = admission ?? ADMISSION_SETTINGS;
    this.#models = plan.resources.filter(({ kind }) => kind === 'model');
    const firsts = this.#models.map(({ id, limit: cap, requestsPerMinute, tokensPerMinute }) => {
      const limit = new AdaptiveLimit(cap, this.#settings).permits(0);
      return [id, { limit, requestsPerMinute, tokensPerMinute }] as const;
    });
    const maxCost = plan.maxCost === null ? undefined : Math.round(plan.maxCost * MICRO);
    this.#made = made;
    this.#constant = { machine, account, first: Object.fromEntries(firsts), maxCost };
    this.#base = Math.round(spentBefore * MICRO);
  }

  async listen(): Promise<void> {
    this.#mute = await this.#exchange.listen((message) => {
      const [kind, from, told = ''] = message.split(':');
      const concerns = told === '*' ? from !== this.#machine : told.split(',').includes(this.#machine);
      if (kind === HURRY && concerns) this.#hurry();
    });
  }

  async exchange(use: MachineUse): Promise<MachineShares> {
    if (use.wasSuspended) await this.onWake?.();
    const reply = await this.#call({ use }).catch((thrown: unknown) => {
      this.#link.failed(thrown);
      throw thrown;
    });
    if (reply.isOwner) this.#rule(reply);
    else this.#abdicate();
    return reply;
  }

  onHurry(hurry: () => void): () => void {
    this.#listeners.add(hurry);
    return () => void this.#listeners.delete(hurry);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#abdicate();
    this.#mute();
    // Without Redis there is nothing to give back to.
    if (this.#link.client.status === 'ready') await this.#link.within(LEAVE_MS, this.#call({ leave: true }));
  }

  /** Runs the laws over what all machines reported, and publishes changes that cannot wait for the next exchange. */
  #rule({ ends = {}, inFlight = {}, resources }: Reply): void {
    const time = performance.now();
    for (const { id, limit: cap } of this.#models) {
      const share = resources[id];
      // A model of other runs that share the limits: the law begins with its first answer.
      if (!share && !ends[id] && !this.#laws.has(id)) continue;
      const known = share?.isKnown ? share : undefined;
      const law = this.#laws.get(id) ?? new SharedLaw({ cap, settings: this.#settings, known }, time);
      this.#laws.set(id, law);
      const ended = ends[id];
      if (ended) law.take(ended, inFlight[id] ?? 0, time);
    }
    this.#tellLaws(time);
  }

  #abdicate(): void {
    clearTimeout(this.#timer);
    this.#laws.clear();
    this.#told.clear();
  }

  #tellLaws(time: number): void {
    clearTimeout(this.#timer);
    const laws = [...this.#laws].map(([id, law]) => [id, law.now(time)] as const);
    const isLower = laws.some(([id, law]) => isLowerThan(law, this.#told.get(id)));
    const isHigher = laws.some(([id, law]) => isMuchHigherThan(law, this.#told.get(id)));
    for (const [id, law] of laws) this.#told.set(id, law);
    // The next exchange of this machine tells a higher limit.
    const told = isLower ? this.#call({}).catch(this.#link.failed) : Promise.resolve();
    if (isLower || isHigher) void told.then(() => this.#hurry());
    const changes = [...this.#laws.values()].flatMap((law) => law.changesIn(time) ?? []);
    if (changes.length === 0 || this.#isOver) return;
    this.#timer = setTimeout(() => this.#tellLaws(performance.now()), Math.max(1, Math.min(...changes))).unref();
  }

  #hurry(): void {
    for (const hurry of this.#listeners) hurry();
  }

  async #call(what: { readonly use?: MachineUse; readonly leave?: true }): Promise<Reply> {
    const laws = this.#told.size > 0 ? Object.fromEntries(this.#told) : undefined;
    const seen = this.#seen && { seen: this.#seen };
    const made = Object.fromEntries(Object.entries(this.#made()).map(([id, cost]) => [id, Math.round(cost * MICRO)]));
    const ask = { ...this.#constant, ...what, ...seen, laws, made, base: this.#base, nonce: randomUUID() };
    const reply = JSON.parse(await this.#exchange.limits(JSON.stringify(ask))) as Reply;
    const resources = what.use ? reply.resources : this.#seen?.laws;
    const { epoch, base, gone, known, number } = reply;
    this.#seen = { epoch, base, gone, known, number, laws: lawsOf(resources ?? {}) };
    return reply;
  }
}

/** A lower limit or a pause is for all at once. */
function isLowerThan(law: Law, before: Law | undefined): boolean {
  return before !== undefined && (law.limit < before.limit || law.stoppedMs > before.stoppedMs);
}

/** A slightly higher limit can wait. */
function isMuchHigherThan(law: Law, before: Law | undefined): boolean {
  return before !== undefined && law.limit > before.limit * 1.25;
}

function lawsOf(shares: Readonly<Record<string, Law>>): Record<string, Law> {
  return Object.fromEntries(
    Object.entries(shares).map(([id, { limit, round, stoppedMs }]) => [id, { limit, round, stoppedMs }]),
  );
}
