import { setFlagsFromString } from 'node:v8';
import { type Plan, rowsIn } from '@data-designer/core';

/** From so many requests at a time on, what waits for answers makes heaps large. */
const MANY_PLACES = 1000;

/** From so many local rows on, what was made for the groups before makes heaps large. */
const MANY_LOCAL_ROWS = 400_000;

/** By how many percent a heap may grow between collections. Rows that are made leave little alive: to collect often costs less. */
const GROWTH = { requests: 75, rows: 40 } as const;

/**
 * Where thousands of requests are under way, or many rows are made of nothing, heaps of this process grow by so much
 * between collections, not to four times what lives: a third less memory (`npm run bench -- models`, row a), or a tenth
 * (`memory`), for a few percent of CPU.
 */
export function limitHeapGrowth({ resources, segments }: Plan): void {
  const places = resources.reduce((sum, { limit }) => sum + limit, 0);
  if (places >= MANY_PLACES) setFlagsFromString(`--heap-growing-percent=${GROWTH.requests}`);
  else if (resources.length === 0 && rowsIn(segments) >= MANY_LOCAL_ROWS) {
    setFlagsFromString(`--heap-growing-percent=${GROWTH.rows}`);
  }
}
