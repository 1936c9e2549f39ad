import type { Random } from '@data-designer/core';

const LEAST = 2 ** -54;

/** Draws a uniform float in (0, 1); a draw of 0 becomes half of the smallest other draw. */
export function positiveFloat(random: Random): number {
  return random.float() || LEAST;
}
