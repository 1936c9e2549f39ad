import { type Finding, printFloat, type Surroundings } from '@data-designer/core';
import { runFinding } from '../run-finding.ts';
import { allParams, type SampledColumn } from '../samplers/sampled-column.ts';
import { type Bounds, constraintsOf, narrow } from './constraints.ts';
import { shareWithin } from './draw-within.ts';
import type { SamplerOf } from '../define-sampler.ts';
import { type DrawnNumbers, drawnNumbers } from './prepare-params.ts';

/**
 * Finds constraints against numbers that no value of the column's distributions can satisfy; expects valid parameters.
 */
export function checkConstrained(
  column: SampledColumn,
  { constraints }: Surroundings,
  samplerOf: SamplerOf,
): readonly Finding[] {
  const bounds: Bounds = { low: -Infinity, lowOpen: false, high: Infinity, highOpen: false };
  for (const { operator, rhs } of constraintsOf(column.name, constraints)) {
    if (typeof rhs === 'number') narrow(bounds, operator, rhs);
  }
  if (bounds.low === -Infinity && bounds.high === Infinity) return [];
  const drawn = allParams(column).map((params) => drawnNumbers(column, params, samplerOf));
  if (!drawn.every((numbers) => isOutside(numbers, bounds))) return [];
  const spans = drawn.map(({ distribution }) => (distribution?.support ?? []).map(printFloat).join(' to '));
  const message = `no value can satisfy the constraints: they require a value ${inWords(bounds)}, but the values range from ${[...new Set(spans)].join(', ')}.`;
  return [
    runFinding(['params'], { type: 'constraint_unmet', message, remedy: 'Change the constraint or the parameters.' }),
  ];
}

function isOutside({ distribution, lattice }: DrawnNumbers, bounds: Bounds): boolean {
  if (!distribution) return false;
  const [first, last] = shareWithin(distribution, bounds, lattice);
  return !(first < last);
}

function inWords({ low, lowOpen, high, highOpen }: Bounds): string {
  const parts = [
    ...(low === -Infinity ? [] : [`${lowOpen ? 'above' : 'at least'} ${printFloat(low)}`]),
    ...(high === Infinity ? [] : [`${highOpen ? 'below' : 'at most'} ${printFloat(high)}`]),
  ];
  return parts.join(' and ');
}
