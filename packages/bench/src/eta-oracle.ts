import { normalCdf, normalQuantile } from '@data-designer/columns/normal';
import { Random } from '@data-designer/core';
import { MinHeap } from '@data-designer/core/min-heap';

/** A run of one column whose calls take log-normal times with a median of 1. */
export interface UnevenRun {
  readonly sigma: number;
  readonly rows: number;
  readonly permits: number;
}

/** How often an estimate that knows the distribution is within 25 % of the time left, as shares of all looks. */
export interface OracleHits {
  /** The estimate that is within 25 % as often as one can be. */
  readonly best: number;
  /** The median of the time left. */
  readonly median: number;
}

const RUNS = 20;
const LOOKS_IN_A_RUN = 20;
/** The ends of a run that are drawn for one look. */
const ENDS = 200;
/** An estimate is within 25 % of the times from 1 / 1.25 to 1 / 0.75 of it. */
const [LEAST, MOST] = [1 / 1.25, 1 / 0.75];

/**
 * Makes runs in virtual time. At each look from 10 % to 90 % of the cells on, an oracle sees how long the calls in flight have
 * taken, draws ends of the run from the true distribution, and estimates the time left from these.
 */
export function oracleHits({ sigma, rows, permits }: UnevenRun): OracleHits {
  const random = Random.of(1, 'oracle').at(0);
  const share = (): number => Math.min(1 - 1e-12, Math.max(1e-12, random.float()));
  const drawn = (): number => Math.exp(sigma * normalQuantile(share()));
  const restAfter = (ran: number): number => {
    const tail = normalCdf(-Math.log(ran) / sigma);
    return Math.exp(-sigma * normalQuantile(tail * share())) - ran;
  };
  const hits = { best: 0, median: 0, looks: 0 };
  for (let run = 0; run < RUNS; run++) {
    const calls = scheduled({ running: [], waiting: rows, permits }, drawn);
    const end = Math.max(...calls.map((call) => call.end));
    for (let look = 0; look < LOOKS_IN_A_RUN; look++) {
      const time = (end * (look + 0.5)) / LOOKS_IN_A_RUN;
      const done = calls.filter((call) => call.end <= time).length / rows;
      if (done < 0.1 || done > 0.9) continue;
      const ran = calls.filter((call) => call.begin < time && call.end > time).map((call) => time - call.begin);
      const waiting = calls.filter((call) => call.begin >= time).length;
      const ends = Array.from({ length: ENDS }, () => {
        const running = ran.map(restAfter);
        return Math.max(...running, ...scheduled({ running, waiting, permits }, drawn).map((call) => call.end));
      }).toSorted((one, other) => one - other);
      const left = end - time;
      hits.looks++;
      if (isWithin(bestOf(ends), left)) hits.best++;
      if (isWithin(ends[ENDS >> 1] ?? 0, left)) hits.median++;
    }
  }
  return { best: hits.best / hits.looks, median: hits.median / hits.looks };
}

function isWithin(estimate: number, left: number): boolean {
  return left >= estimate * LEAST && left <= estimate * MOST;
}

/** The estimate with the most of the drawn times within 25 %. */
function bestOf(ends: readonly number[]): number {
  let best = { estimate: 0, count: 0 };
  for (const [at, least] of ends.entries()) {
    const estimate = least / LEAST;
    const after = ends.findIndex((one) => one > estimate * MOST);
    const count = (after < 0 ? ends.length : after) - at;
    if (count > best.count) best = { estimate, count };
  }
  return best.estimate;
}

interface State {
  /** The time that each call in flight still takes. */
  readonly running: readonly number[];
  readonly waiting: number;
  readonly permits: number;
}

/** When each waiting call begins and ends. */
function scheduled({ running, waiting, permits }: State, draw: () => number): { begin: number; end: number }[] {
  const ends = new MinHeap<number>();
  for (let at = 0; at < permits; at++) ends.push(running[at] ?? 0, at);
  return Array.from({ length: waiting }, () => {
    const begin = ends.lowest;
    const end = begin + draw();
    ends.shift();
    ends.push(end, 0);
    return { begin, end };
  });
}
