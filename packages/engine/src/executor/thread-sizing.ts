import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { type Plan, rowsIn } from '@data-designer/core';
import { mostOpenRows } from '@data-designer/gateway/worker';
import type { ExecutorOptions } from './executor.ts';
import type { PoolSize } from './thread-pool.ts';

/** Open row groups per worker where they wait for answers, so that a slow row leaves no thread idle. */
const GROUPS_PER_WORKER = 3;
/** More threads gain nothing on one host. */
const MAX_THREADS = 8;
/** More open groups cost more memory than the permits they would use are worth. */
const MAX_GROUPS = 1000;
/** From this many rows on, finished groups make heaps large. */
const MANY_ROWS = { requests: 20_000, rows: 400_000 } as const;
/** By how many percent a heap may grow between collections. Finished rows leave little alive, so collecting often is cheap. */
const GROWTH = { requests: 75, rows: 40 } as const;

/** Runs of more rows never use the main thread: those of models have several row groups, which threads share. */
export const MAIN_THREAD_ROWS = 1000;

let isOffered = false;

/** Lets small runs use the main thread, in a program that has nothing else to do there while rows are made. */
export function offerMainThread(): void {
  isOffered = true;
}

/** Whether small runs may use the main thread. */
export function isMainThreadOffered(): boolean {
  return isOffered;
}

/**
 * The threads for a run. A plan with resources leaves one processor to the I/O thread; a plan without uses all of them,
 * with one group open in each.
 */
export function poolSize(
  plan: Plan,
  { groups, maxConcurrentRowGroups }: Pick<ExecutorOptions, 'groups' | 'maxConcurrentRowGroups'>,
): PoolSize {
  const usesGateway = plan.resources.length > 0;
  const processors = availableParallelism() - (usesGateway ? 1 : 0);
  const threads = Math.max(1, Math.min(processors, groups, MAX_THREADS));
  const wanted = Math.max(threads * GROUPS_PER_WORKER, maxConcurrentRowGroups, groupsForOpenRows(plan));
  return { threads, groupsPerThread: usesGateway ? Math.ceil(wanted / threads) : 1 };
}

/** Enough groups to have as many open rows as the gateway admits while the oldest group waits for its last rows. */
function groupsForOpenRows(plan: Plan): number {
  const rowsPerGroup = Math.min(...plan.segments.map(({ groupSize }) => groupSize));
  return Math.min(MAX_GROUPS, 1 + Math.ceil(mostOpenRows(plan) / rowsPerGroup));
}

/**
 * Limits how much heaps grow between collections: a fifth less memory for a long run with requests (`npm run bench --
 * million`), a tenth for one of local rows (`memory`), for a few percent of CPU. A short run keeps V8's flags: the limit
 * costs 10,000 requests a tenth of their CPU, and after a change V8 rejects the code in the compile cache, so that every
 * thread compiles its modules again.
 */
export function limitHeapGrowth({ resources, segments }: Plan): void {
  const kind = resources.length > 0 ? 'requests' : 'rows';
  if (rowsIn(segments) >= MANY_ROWS[kind]) setFlagsFromString(`--heap-growing-percent=${GROWTH[kind]}`);
}
