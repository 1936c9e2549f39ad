import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { NEVER, type Resource } from '@data-designer/core';
import { ProviderRouter } from '../../gateway/src/provider-router.ts';
import { type OpenClusterLimits, openClusterLimits } from '../src/limits/open-cluster-limits.ts';
import { openRedis, type RedisLink } from '../src/redis/open-redis.ts';

/** The model that the machines of a test call. */
export function modelWith(
  limit: number,
  rates: Pick<Resource, 'requestsPerMinute' | 'tokensPerMinute'> = {},
): Resource {
  return { id: 'model/here/m', kind: 'model', provider: 'here', limit, ...rates, pool: 'model/here/m' };
}

/** The settings of a machine. */
export interface CallingOptions {
  readonly redis: string;
  readonly machine: string;
  readonly endpoint: string;
  readonly resource: Resource;
  readonly maxCost?: number;
  readonly spentBefore?: number;
  /** Its run, among those that share the limits, and what those have cost that are over. */
  readonly account?: string;
  readonly made?: Readonly<Record<string, number>>;
  /** Calls that wait or are in flight at a time. */
  readonly calls?: number;
}

/** Starts a machine in a process of its own, which ends at SIGTERM and with this process; resolves once it calls the model. */
export async function spawnMachine(options: CallingOptions): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('./limits-machine.ts', import.meta.url));
  const started = spawn(process.execPath, [...process.execArgv, program, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(started.stdout, 'data');
  return started;
}

/** The secret that the machines of a test send. */
export const KEY = 'canary-key-of-the-test';

/** A machine whose gateway calls one model without end, in this process. */
export class CallingMachine implements AsyncDisposable {
  readonly router: ProviderRouter;
  readonly limits: OpenClusterLimits;
  readonly link: RedisLink;
  readonly #stop = new AbortController();
  readonly #endExchangeNow: () => void;
  readonly #resource: string;
  answered = 0;
  exchanges = 0;
  #row = 0;

  private constructor(options: CallingOptions, link: RedisLink, limits: OpenClusterLimits) {
    const { endpoint, resource, maxCost, spentBefore = 0, calls = 200 } = options;
    this.link = link;
    this.limits = limits;
    this.#resource = resource.id;
    const provider = { name: 'here', endpoint, providerType: 'openai', extraBody: null, extraHeaders: null } as const;
    const prices = { [resource.id]: { input: 1, output: 1, cachedInput: null, image: null } };
    this.router = new ProviderRouter(
      {
        resources: [resource],
        providers: { models: [{ ...provider, apiKey: KEY }], tools: [] },
        frozen: {},
        environment: {},
        ...(maxCost === undefined ? {} : { budget: { maxCost, spentBefore, prices } }),
      },
      {
        exchange: (use) => {
          this.exchanges++;
          void limits.exchange(use).then(
            (shares) => this.router.takeShares(shares),
            () => this.router.takeShares(undefined),
          );
        },
      },
    );
    this.#endExchangeNow = limits.onExchangeNow(() => this.router.exchangeNow());
    for (let call = 0; call < calls; call++) void this.#callAgain();
  }

  static async start(options: CallingOptions): Promise<CallingMachine> {
    const { redis, machine, resource, maxCost = null, spentBefore = 0, account = '', made = {} } = options;
    const link = await openRedis(redis, 'a-run');
    const run = { plan: { resources: [resource], maxCost }, machine, spentBefore, account, made: () => made };
    const limits = await openClusterLimits(link, run);
    return new CallingMachine(options, link, limits);
  }

  get inFlight(): number {
    return this.router.admission(this.#resource).inFlight;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.router.pause();
    this.#endExchangeNow();
    await this.router[Symbol.asyncDispose]();
    await this.limits[Symbol.asyncDispose]();
    await this.link[Symbol.asyncDispose]();
  }

  async #callAgain(): Promise<void> {
    const { signal } = this.#stop;
    const resource = this.#resource;
    while (!signal.aborted && !this.router.spent?.aborted) {
      const row = this.#row++;
      const call = { resource, path: 'chat/completions', body: '{"messages":[]}', row, column: 'a', call: 0 };
      try {
        const stopped = AbortSignal.any([signal, this.router.spent ?? NEVER]);
        const permit = await this.router.admission(resource).acquire(row, stopped);
        await this.router.send({ ...call, timeoutMs: 20_000 }, { permit, signal });
        this.answered++;
      } catch {
        // A stopped or refused call is followed by the next.
      }
    }
  }
}
