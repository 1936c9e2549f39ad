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
import { EXCHANGE_NOW } from '../redis/limits-script.ts';
import { type LimitState, type SharedEnds, SharedLimit } from './shared-limit.ts';

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
  readonly #limits = new Map<string, SharedLimit>();
  /** The limits that the others know. */
  readonly #published = new Map<string, LimitState>();
  /** What to enter again if Redis has lost it. */
  #seen:
    | (Pick<Reply, 'epoch' | 'base' | 'gone' | 'known' | 'number'> & {
        readonly limits: Readonly<Record<string, LimitState>>;
      })
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
      const [kind, from, ids = ''] = message.split(':');
      const concerns = ids === '*' ? from !== this.#machine : ids.split(',').includes(this.#machine);
      if (kind === EXCHANGE_NOW && concerns) this.#exchangeNow();
    });
  }

  async exchange(use: MachineUse): Promise<MachineShares> {
    if (use.wasSuspended) await this.onWake?.();
    const reply = await this.#call({ use }).catch((thrown: unknown) => {
      this.#link.failed(thrown);
      throw thrown;
    });
    if (reply.isOwner) this.#apply(reply);
    else this.#reset();
    return reply;
  }

  onExchangeNow(exchange: () => void): () => void {
    this.#listeners.add(exchange);
    return () => void this.#listeners.delete(exchange);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#reset();
    this.#mute();
    // Without Redis there is nothing to give back to.
    if (this.#link.client.status === 'ready') await this.#link.within(LEAVE_MS, this.#call({ leave: true }));
  }

  /** Applies what all machines reported to the limits, and publishes changes that cannot wait for the next exchange. */
  #apply({ ends = {}, inFlight = {}, resources }: Reply): void {
    const time = performance.now();
    for (const { id, limit: cap } of this.#models) {
      const share = resources[id];
      // A model of other runs that share the limits: its limit begins with its first answer.
      if (!share && !ends[id] && !this.#limits.has(id)) continue;
      const known = share?.isKnown ? share : undefined;
      const limit = this.#limits.get(id) ?? new SharedLimit({ cap, settings: this.#settings, known }, time);
      this.#limits.set(id, limit);
      const ended = ends[id];
      if (ended) limit.take(ended, inFlight[id] ?? 0, time);
    }
    this.#publish(time);
  }

  #reset(): void {
    clearTimeout(this.#timer);
    this.#limits.clear();
    this.#published.clear();
  }

  #publish(time: number): void {
    clearTimeout(this.#timer);
    const states = [...this.#limits].map(([id, limit]) => [id, limit.now(time)] as const);
    const isLower = states.some(([id, state]) => isLowerThan(state, this.#published.get(id)));
    const isHigher = states.some(([id, state]) => isMuchHigherThan(state, this.#published.get(id)));
    for (const [id, state] of states) this.#published.set(id, state);
    // The next exchange of this machine publishes a higher limit.
    const sent = isLower ? this.#call({}).catch(this.#link.failed) : Promise.resolve();
    if (isLower || isHigher) void sent.then(() => this.#exchangeNow());
    const changes = [...this.#limits.values()].flatMap((limit) => limit.changesIn(time) ?? []);
    if (changes.length === 0 || this.#isOver) return;
    this.#timer = setTimeout(() => this.#publish(performance.now()), Math.max(1, Math.min(...changes))).unref();
  }

  #exchangeNow(): void {
    for (const exchange of this.#listeners) exchange();
  }

  async #call(what: { readonly use?: MachineUse; readonly leave?: true }): Promise<Reply> {
    const limits = this.#published.size > 0 ? Object.fromEntries(this.#published) : undefined;
    const seen = this.#seen && { seen: this.#seen };
    const made = Object.fromEntries(Object.entries(this.#made()).map(([id, cost]) => [id, Math.round(cost * MICRO)]));
    const ask = { ...this.#constant, ...what, ...seen, limits, made, base: this.#base, nonce: randomUUID() };
    const reply = JSON.parse(await this.#exchange.limits(JSON.stringify(ask))) as Reply;
    const resources = what.use ? reply.resources : this.#seen?.limits;
    const { epoch, base, gone, known, number } = reply;
    this.#seen = { epoch, base, gone, known, number, limits: limitStatesOf(resources ?? {}) };
    return reply;
  }
}

/** A lower limit or a pause is for all at once. */
function isLowerThan(state: LimitState, before: LimitState | undefined): boolean {
  return before !== undefined && (state.limit < before.limit || state.stoppedMs > before.stoppedMs);
}

/** A slightly higher limit can wait. */
function isMuchHigherThan(state: LimitState, before: LimitState | undefined): boolean {
  return before !== undefined && state.limit > before.limit * 1.25;
}

function limitStatesOf(shares: Readonly<Record<string, LimitState>>): Record<string, LimitState> {
  return Object.fromEntries(
    Object.entries(shares).map(([id, { limit, round, stoppedMs }]) => [id, { limit, round, stoppedMs }]),
  );
}
