import type { Random } from '@data-designer/core';

const FIRST_AREA = 200;
/** Area codes that end in 11 are reserved. */
const AREAS_IN_HUNDRED = 99;
const HUNDREDS = 8;

/** Draws `AAA-555-01NN`, a fictional North American number; area codes go from 200 to 999. */
export function drawFictionalPhone(random: Random): string {
  const drawn = random.below(HUNDREDS * AREAS_IN_HUNDRED);
  const within = drawn % AREAS_IN_HUNDRED;
  const area = FIRST_AREA + Math.floor(drawn / AREAS_IN_HUNDRED) * 100 + (within < 11 ? within : within + 1);
  const line = random.below(100);
  return `${area}-555-01${line < 10 ? '0' : ''}${line}`;
}
