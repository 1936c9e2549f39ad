import type { Random } from '@data-designer/core';

const LEAST = 2 ** -54;

/** The next draw as a float in (0, 1): where it would be 0, half of the least that it could be else. */
export function positiveFloat(random: Random): number {
  return random.float() || LEAST;
}
