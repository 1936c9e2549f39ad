/** A share of an amount that the machines of a cluster divide among them. */
export interface ShareUse {
  /** What this machine keeps until it has a new share. */
  readonly held: number;
  /** What it could use. */
  readonly wanted: number;
}

/** The ends of requests that were granted in one round of the shared limit. */
export interface RoundEnds {
  readonly answered: number;
  readonly refused: number;
  /** The smallest part of the limit in use when a refused request was granted, itself included; 1 if none was refused. */
  readonly lowest: number;
}

/** What a machine uses of one model. */
export interface ResourceUse {
  /** Permits. */
  readonly permits: ShareUse;
  /** Requests in flight; after refusals the fewest when one was refused, which the endpoint had accepted. */
  readonly inFlight: number;
  readonly requestsPerMinute?: ShareUse;
  readonly tokensPerMinute?: ShareUse;
  /** Requests granted since the last exchange, by the round of the limit. */
  readonly granted: Readonly<Record<string, number>>;
  /** Requests ended since the last exchange, by the round in which they were granted. */
  readonly ends: Readonly<Record<string, RoundEnds>>;
  /** The longest `Retry-After` since the last exchange. */
  readonly retryAfterMs: number;
  /** The shortest time to connect since the last exchange; absent without a request. */
  readonly connectMs?: number;
}

/** The report of a machine to the others, every 2 to 3.5 s; plain data. */
export interface MachineUse {
  readonly resources: Readonly<Record<string, ResourceUse>>;
  /** What its answers of this run have cost, in micro-units of the currency. */
  readonly spent: number;
  /** Whether the machine was suspended since the last exchange: others may have taken over its row groups. */
  readonly wasSuspended?: boolean;
}

/** What a machine may use of one model until its next share. */
export interface ResourceShare {
  readonly permits: number;
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  /** The limit of all machines, and its round. */
  readonly limit: number;
  readonly round: number;
  /** Milliseconds for which no machine sends a request. */
  readonly stoppedMs: number;
}

/** What a machine may use until its next shares; plain data. */
export interface MachineShares {
  readonly resources: Readonly<Record<string, ResourceShare>>;
  /** The machines that have shares. */
  readonly machines: number;
  /** In micro-units: what all machines have spent, and what the answers of this one may cost in all. */
  readonly spent: number;
  readonly mayCost: number;
}

/** How long shares are valid, from the beginning of the exchange that brought them. */
export const SHARES_GOOD_MS = 6000;

/** The limits that the machines of a cluster share. A run on one machine has none. */
export interface ClusterLimits {
  /** Reports the use of this machine, and resolves with its new shares. */
  exchange(use: MachineUse): Promise<MachineShares>;
  /** Calls `exchange` when this machine is to exchange at once. The returned function ends that. */
  onExchangeNow(exchange: () => void): () => void;
}
