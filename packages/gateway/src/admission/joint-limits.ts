import type { Resource } from '@data-designer/core';
import { AdmissionPool } from './admission.ts';
import type { PermitSource } from './permit-source.ts';
import { localLedger, type SpendBounds, type SpendLedger } from './spend-ledger.ts';

/** A permit source of several runs, and the requests that they have in flight together. */
interface JointSource {
  readonly source: PermitSource;
  inFlight: number;
}

/** The limits of runs that share an I/O thread: requests in flight, rates per minute, and the budget. */
export class JointLimits {
  readonly #planned: ReadonlyMap<string, Resource>;
  readonly #sources = new Map<string, JointSource>();
  readonly #pools = new Map<string, AdmissionPool>();
  /** The spent amounts by account. */
  readonly #accounts = new Map<string, number>();
  #ledger: SpendLedger | undefined;

  /** `resources` are those of all runs, with the limits that they share. */
  constructor(resources: readonly Resource[]) {
    this.#planned = new Map(resources.map((resource) => [resource.id, resource]));
    for (const { pool } of resources)
      if (!this.#pools.has(pool)) this.#pools.set(pool, new AdmissionPool(capOf(pool, resources)));
  }

  /** The permits of one run: at most its own limit, and those that the other runs leave. `open` opens a source. */
  permits(own: Resource, open: (resource: Resource) => PermitSource): PermitSource {
    let joint = this.#sources.get(own.id);
    if (!joint) this.#sources.set(own.id, (joint = { source: open(this.#planned.get(own.id) ?? own), inFlight: 0 }));
    return permitsOfRun(joint, own.limit);
  }

  /** The pool of a resource. */
  pool({ pool, limit }: Resource): AdmissionPool {
    let known = this.#pools.get(pool);
    if (!known) this.#pools.set(pool, (known = new AdmissionPool(limit)));
    return known;
  }

  /** The ledger of a run, which counts in the budget of all. The runs of one account spend one after another. */
  ledger(account: string, { maxCost, spentBefore }: SpendBounds): SpendLedger {
    this.raise(account, spentBefore);
    const all = (this.#ledger ??= localLedger({ maxCost, spentBefore: this.#spent }));
    return {
      add: (cost) => {
        this.#accounts.set(account, (this.#accounts.get(account) ?? 0) + cost);
        all.add(cost);
      },
      get total() {
        return all.total;
      },
      spent: all.spent,
    };
  }

  /** Raises what an account has spent in all, if that is more than is known. */
  raise(account: string, cost: number): void {
    const more = cost - (this.#accounts.get(account) ?? 0);
    if (more <= 0) return;
    this.#accounts.set(account, cost);
    this.#ledger?.add(more);
  }

  get #spent(): number {
    return [...this.#accounts.values()].reduce((sum, cost) => sum + cost, 0);
  }
}

function capOf(pool: string, resources: readonly Resource[]): number {
  return Math.max(...resources.flatMap((one) => (one.pool === pool ? one.limit : [])));
}

/** What a run sees of a joint source: its own requests, and a limit without those of the others. */
function permitsOfRun(joint: JointSource, ownLimit: number): PermitSource {
  const { source } = joint;
  let own = 0;
  return {
    get size() {
      return Math.min(source.size, ownLimit);
    },
    get countsTokens() {
      return source.countsTokens === true;
    },
    permits(time) {
      const all = source.permits(time);
      // No permit at all is a pause, which is not the same as having none left.
      return all === 0 ? 0 : Math.min(ownLimit, all - (joint.inFlight - own));
    },
    untilMore: (time) => source.untilMore(time),
    rateWait: (time) => source.rateWait?.(time),
    grant(inFlight, time) {
      own = inFlight;
      return source.grant(++joint.inFlight, time);
    },
    sent: (grant, at) => source.sent(grant, at),
    end(grant, ending, now) {
      own = now.inFlight;
      source.end(grant, ending, { ...now, inFlight: --joint.inFlight });
    },
  };
}
