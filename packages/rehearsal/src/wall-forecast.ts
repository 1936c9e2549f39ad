import type { Plan, Resource } from '@data-designer/core';
import type { WallBound, WallForecast } from './rehearsal.ts';
import type { ModelLoad } from './rehearsal-models.ts';

/** What counts against the rates of a model. */
export interface SpentRates {
  readonly requests: number;
  readonly tokens: number;
}

/** The times of a rehearsed sample. */
export interface SampleTimes {
  readonly rows: number;
  readonly wallMs: number;
  /** CPU time of all threads of this process, for warm code. */
  readonly cpuMs: number;
  readonly processors: number;
  /** By pool. */
  readonly loads: ReadonlyMap<string, ModelLoad>;
  /** By resource, the requests and the tokens of the sample. */
  readonly spent: ReadonlyMap<string, SpentRates>;
  /** Mean requests per cell by column, over all its aliases. */
  readonly requestsPerCell: ReadonlyMap<string, number>;
  /** Whether requests failed and were retried. */
  readonly hasRetries: boolean;
}

/**
 * Estimates the wall time of `rows` rows: the largest of its bounds (total latency of a model over its parallel requests, the
 * rates of a model, the longest chain of answers in a row, the work of this machine) plus the sample's time beyond its own
 * largest bound. The sample ran without rates.
 */
export function wallForecast(plan: Plan, times: SampleTimes, rows: number): WallForecast {
  const ofSample = boundsOf(plan, times, times.rows).filter(({ kind }) => kind !== 'rate');
  const bounds = boundsOf(plan, times, rows).toSorted((a, b) => b.ms - a.ms);
  const overheadMs = overheadOf(times, largest(ofSample), rows);
  const [bottleneck] = bounds;
  const doubled = bounds.map((bound) => (bound === bottleneck ? { ...bound, ms: bound.ms / 2 } : bound));
  return {
    ms: largest(bounds) + overheadMs,
    overheadMs,
    bounds,
    doubledMs: bottleneck?.kind === 'model' ? largest(doubled) + overheadMs : null,
  };
}

/**
 * Start and end happen once, so they do not scale. With retries, overhead up to the bound counts as such, and the rest as
 * retry waits, which scale with the rows.
 */
function overheadOf({ wallMs, rows: sampled, hasRetries }: SampleTimes, boundMs: number, rows: number): number {
  const beyondMs = Math.max(0, wallMs - boundMs);
  const waitsMs = hasRetries ? Math.max(0, beyondMs - boundMs) : 0;
  return beyondMs - waitsMs + waitsMs * (rows / sampled);
}

function largest(bounds: readonly WallBound[]): number {
  return Math.max(0, ...bounds.map(({ ms }) => ms));
}

function boundsOf(plan: Plan, times: SampleTimes, rows: number): readonly WallBound[] {
  const { rows: sampled, cpuMs, processors, loads } = times;
  const pools = [...loads].flatMap(([pool, { latencyMs }]) => {
    const members = plan.resources.filter((resource) => resource.pool === pool);
    if (members.length === 0) return [];
    const places = Math.max(...members.map(({ limit }) => limit));
    return { kind: 'model' as const, name: nameOf(pool), ms: (latencyMs / sampled) * (rows / places), places };
  });
  return [
    ...pools,
    ...plan.resources.flatMap((resource) => rateBounds(resource, times, rows)),
    { kind: 'chain', name: 'the longest chain of answers in a row', ms: longestChainMs(plan, times), places: null },
    { kind: 'machine', name: 'the work of this machine', ms: (cpuMs / sampled) * (rows / processors), places: null },
  ];
}

const MINUTE_MS = 60_000;

/** How long the requests and tokens of a model take at its rates. */
function rateBounds(resource: Resource, { spent, rows: sampled }: SampleTimes, rows: number): readonly WallBound[] {
  const { requests = 0, tokens = 0 } = spent.get(resource.id) ?? {};
  const bound = (setting: string, amount: number, perMinute: number | undefined): readonly WallBound[] => {
    if (perMinute === undefined || amount === 0) return [];
    const name = `the ${setting} of ${nameOf(resource.pool)} (${perMinute})`;
    return [{ kind: 'rate', name, ms: (amount / sampled) * (rows / perMinute) * MINUTE_MS, places: null }];
  };
  return [
    ...bound('requests_per_minute', requests, resource.requestsPerMinute),
    ...bound('tokens_per_minute', tokens, resource.tokensPerMinute),
  ];
}

/** `provider/model` of a pool. */
function nameOf(pool: string): string {
  return pool.slice(pool.indexOf('/') + 1);
}

/** The longest path through a row's columns, each with its requests at the mean latency of its slowest model. */
function longestChainMs(plan: Plan, { loads, requestsPerCell }: SampleTimes): number {
  const poolOf = new Map(plan.resources.map(({ id, pool }) => [id, pool]));
  const meanOf = (alias: string): number => {
    const sum = loads.get(poolOf.get(plan.models[alias]?.resource ?? '') ?? '');
    return sum && sum.requests > 0 ? sum.latencyMs / sum.requests : 0;
  };
  const ends = new Map<string, number>();
  for (const { name, needs, requires } of plan.columns) {
    const own = (requestsPerCell.get(name) ?? 0) * Math.max(0, ...requires.models.map(meanOf));
    ends.set(name, own + Math.max(0, ...needs.map((need) => ends.get(need) ?? 0)));
  }
  return Math.max(0, ...ends.values());
}
