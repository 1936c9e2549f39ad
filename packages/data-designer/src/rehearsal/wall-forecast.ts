import type { Plan } from '@data-designer/core';
import type { WallBound, WallForecast } from './rehearsal.ts';
import type { Asked } from './rehearsal-models.ts';

/** What the rehearsal of some rows took. */
export interface SampleTimes {
  readonly rows: number;
  readonly wallMs: number;
  /** CPU over all threads of this process, of warm code. */
  readonly cpuMs: number;
  readonly processors: number;
  /** By pool. */
  readonly asked: ReadonlyMap<string, Asked>;
  /** Requests for a cell on average, by column, over all aliases that it asks. */
  readonly requestsPerCell: ReadonlyMap<string, number>;
  /** Whether requests failed and waited to be made again. */
  readonly triesAgain: boolean;
}

/**
 * How long so many rows would take: no run is faster than the latencies of a model over its places, than the longest
 * chain of answers in a row, than the work of this machine. What the sample took beyond the largest of its own bounds
 * is added.
 */
export function wallForecast(plan: Plan, times: SampleTimes, rows: number): WallForecast {
  const ofSample = boundsOf(plan, times, times.rows);
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
 * A start and an end come once. Where requests are made again, so much as the bound is taken for that, and what is beyond
 * for waits between tries, of which there are as many more as there are more rows.
 */
function overheadOf({ wallMs, rows: sampled, triesAgain }: SampleTimes, boundMs: number, rows: number): number {
  const beyondMs = Math.max(0, wallMs - boundMs);
  const waitsMs = triesAgain ? Math.max(0, beyondMs - boundMs) : 0;
  return beyondMs - waitsMs + waitsMs * (rows / sampled);
}

function largest(bounds: readonly WallBound[]): number {
  return Math.max(0, ...bounds.map(({ ms }) => ms));
}

function boundsOf(plan: Plan, times: SampleTimes, rows: number): readonly WallBound[] {
  const { rows: sampled, cpuMs, processors, asked } = times;
  const pools = [...asked].flatMap(([pool, { latencyMs }]) => {
    const members = plan.resources.filter((resource) => resource.pool === pool);
    if (members.length === 0) return [];
    const places = Math.max(...members.map(({ limit }) => limit));
    return { kind: 'model' as const, name: nameOf(pool), ms: (latencyMs / sampled) * (rows / places), places };
  });
  return [
    ...pools,
    { kind: 'chain', name: 'the longest chain of answers in a row', ms: longestChainMs(plan, times), places: null },
    { kind: 'machine', name: 'the work of this machine', ms: (cpuMs / sampled) * (rows / processors), places: null },
  ];
}

/** `provider/model` of a pool. */
function nameOf(pool: string): string {
  return pool.slice(pool.indexOf('/') + 1);
}

/** The longest way through a row's columns, each with its requests at the mean latency of its slowest model. */
function longestChainMs(plan: Plan, { asked, requestsPerCell }: SampleTimes): number {
  const poolOf = new Map(plan.resources.map(({ id, pool }) => [id, pool]));
  const meanOf = (alias: string): number => {
    const sum = asked.get(poolOf.get(plan.models[alias]?.resource ?? '') ?? '');
    return sum && sum.requests > 0 ? sum.latencyMs / sum.requests : 0;
  };
  const ends = new Map<string, number>();
  for (const { name, needs, requires } of plan.columns) {
    const own = (requestsPerCell.get(name) ?? 0) * Math.max(0, ...requires.models.map(meanOf));
    ends.set(name, own + Math.max(0, ...needs.map((need) => ends.get(need) ?? 0)));
  }
  return Math.max(0, ...ends.values());
}
