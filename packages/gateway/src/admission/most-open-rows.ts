import { openRowsFor, type Plan } from '@data-designer/core';

/** How many rows of a plan may be open at most, if every endpoint stands what it is allowed; 0 where nothing is asked. */
export function mostOpenRows({ resources }: Pick<Plan, 'resources'>): number {
  return openRowsFor(resources.reduce((sum, { limit }) => sum + limit, 0));
}
