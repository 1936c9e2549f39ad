import { readFileSync } from 'node:fs';

/** An answer that a machine has bought, with the times between which its request was in flight. */
interface Purchase {
  readonly hash: string;
  readonly sender: string;
  readonly arrivedAt: number;
  readonly tookMs: number;
}

/** A machine that was stopped at a time, and went on at another one, or never. */
export interface Stop {
  readonly machine: string;
  readonly from: number;
  readonly until: number;
}

/** The answers that were bought more than once. */
export interface BoughtTwice {
  /** In flight on a machine while it was stopped. */
  readonly inFlight: number;
  /** Requested by a machine that went on, for row groups that others had taken over. */
  readonly afterWaking: number;
  /** By whom and when answers were bought again without such a reason; one line each. */
  readonly unexplained: readonly string[];
}

/** A machine may take its answers this late: it shares its processors. */
const LATE_MS = 1000;
/** How long a machine that went on may buy for groups of others until it has learnt of them. */
const WAKING_MS = 5000;

/** The answers in the log of the simulator from a line on. */
export function readPurchases(log: string, fromLine: number): readonly Purchase[] {
  const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean).slice(fromLine);
  return lines
    .map((line): Purchase & { readonly status: number | string } => JSON.parse(line))
    .filter(({ status }) => status === 200);
}

/** Why answers were bought more than once. */
export function explain(purchases: readonly Purchase[], stops: readonly Stop[]): BoughtTwice {
  const byHash = Map.groupBy(purchases, ({ hash }) => hash);
  let [inFlight, afterWaking] = [0, 0];
  const unexplained: string[] = [];
  for (const same of byHash.values()) {
    const lost = same.filter((one) => stops.some((stop) => wasInFlight(one, stop))).length;
    const woken = same.filter((one) => stops.some((stop) => isAfterWaking(one, stop))).length;
    const again = same.length - 1;
    inFlight += Math.min(again, lost);
    afterWaking += Math.min(Math.max(0, again - lost), woken);
    if (again > lost + woken) unexplained.push(same.map((one) => describe(one)).join(' and '));
  }
  return { inFlight, afterWaking, unexplained };
}

function wasInFlight({ sender, arrivedAt, tookMs }: Purchase, { machine, from }: Stop): boolean {
  return sender === machine && arrivedAt <= from + LATE_MS && arrivedAt + tookMs >= from - LATE_MS;
}

function isAfterWaking({ sender, arrivedAt }: Purchase, { machine, until }: Stop): boolean {
  return sender === machine && arrivedAt >= until && arrivedAt <= until + WAKING_MS;
}

function describe({ hash, sender, arrivedAt, tookMs }: Purchase): string {
  return `${hash.slice(0, 8)} by ${sender} from ${arrivedAt} for ${tookMs} ms`;
}
