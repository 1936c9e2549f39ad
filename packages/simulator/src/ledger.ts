/** How a request ended: an HTTP status, or what became of it instead. */
export type Ending = number | 'reset' | 'hang' | 'stall' | 'truncate' | 'aborted';

/** A request as it is counted and logged, once it has ended. */
export interface Entry extends Tokens {
  readonly hash: string | undefined;
  readonly model: string | undefined;
  readonly status: Ending;
  /** As drawn, not as measured. */
  readonly latencyMs: number;
  readonly path: string | undefined;
  /** The `User-Agent` of the client, which tells the machines of a test apart. */
  readonly sender: string | undefined;
  /** When the request arrived, in milliseconds since 1970, and how long it was in flight. */
  readonly arrivedAt: number;
  readonly tookMs: number;
}

/** What an answer took and gave: enough to say what it would cost. */
export interface Tokens {
  /** All that was read, cached ones included. */
  readonly promptTokens: number;
  /** Of these, those of the turns before: a provider would still have them. */
  readonly cachedTokens: number;
  /** All that was written, reasoning included. */
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly pictures: number;
}

/** Nothing read and nothing written. */
export const NO_TOKENS: Tokens = {
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  pictures: 0,
};

/** The counts of a server since its start or the last reset. */
export class Ledger {
  #requests = 0;
  #inFlight = 0;
  #maxInFlight = 0;
  #tokens: { -readonly [Kind in keyof Tokens]: number } = { ...NO_TOKENS };
  readonly #byStatus = new Map<Ending, number>();
  readonly #byModel = new Map<string, number>();
  readonly #seen = new Map<string, number>();
  readonly #bought = new Map<string, number>();
  /** Drawn latency in whole milliseconds to how often it was drawn. */
  readonly #latencies = new Map<number, number>();

  /** Counts a request in; returns how many are in flight with it. */
  arrive(): number {
    this.#requests++;
    this.#inFlight++;
    this.#maxInFlight = Math.max(this.#maxInFlight, this.#inFlight);
    return this.#inFlight;
  }

  /** Counts a request out that is no longer in flight. */
  leave(): void {
    this.#inFlight--;
  }

  /** Counts a sight of a request body; returns how often it was seen before. */
  see(hash: string): number {
    const before = this.#seen.get(hash) ?? 0;
    this.#seen.set(hash, before + 1);
    return before;
  }

  /** Counts a request that has ended; an answer with status 200 that was sent to its end counts as bought. */
  record(entry: Entry): void {
    add(this.#byStatus, entry.status);
    if (entry.model !== undefined) add(this.#byModel, entry.model);
    if (entry.status !== 200 || entry.hash === undefined) return;
    add(this.#bought, entry.hash);
    add(this.#latencies, Math.round(entry.latencyMs));
    for (const kind of TOKENS) this.#tokens[kind] += entry[kind];
  }

  /** Forgets everything but what is in flight; requests count as never seen. */
  reset(): void {
    this.#requests = 0;
    this.#maxInFlight = this.#inFlight;
    this.#tokens = { ...NO_TOKENS };
    for (const counts of [this.#byStatus, this.#byModel, this.#seen, this.#bought, this.#latencies]) counts.clear();
  }

  /** All counts as plain data; `brief` leaves out the counts by hash. */
  summary(brief: boolean) {
    let answers = 0;
    let boughtTwice = 0;
    for (const count of this.#bought.values()) {
      answers += count;
      if (count > 1) boughtTwice++;
    }
    return {
      requests: this.#requests,
      byStatus: Object.fromEntries(this.#byStatus),
      byModel: Object.fromEntries(this.#byModel),
      answers,
      distinctAnswers: this.#bought.size,
      boughtTwice,
      ...(brief ? {} : { bought: Object.fromEntries(this.#bought) }),
      ...this.#tokens,
      inFlight: this.#inFlight,
      maxInFlight: this.#maxInFlight,
      latencyMs: summarize(this.#latencies),
    };
  }
}

const TOKENS = Object.keys(NO_TOKENS) as readonly (keyof Tokens)[];

function add<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Mean, quantiles and maximum of counted values, to the whole millisecond. */
function summarize(counts: ReadonlyMap<number, number>) {
  const sorted = [...counts].toSorted(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return { mean: 0, p50: 0, p95: 0, p99: 0, max: 0 };
  const quantile = (share: number) => {
    let left = Math.ceil(share * total);
    return sorted.find(([, count]) => (left -= count) <= 0)?.[0] ?? 0;
  };
  const sum = sorted.reduce((partial, [value, count]) => partial + value * count, 0);
  const max = sorted.at(-1)?.[0] ?? 0;
  return { mean: sum / total, p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99), max };
}
