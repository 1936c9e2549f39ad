import type { FieldPath } from '@data-designer/core';
import type { SampledColumn, SampledParams } from '../samplers/sampled-column.ts';

/** Parameters, and the field that they stand in. */
export interface Place {
  readonly at: FieldPath;
  readonly params: SampledParams;
}

/** The parameters of a column, with those under conditions. */
export function placesOf({ params, conditionalParams }: SampledColumn): readonly Place[] {
  const conditional = Object.entries(conditionalParams).map(([condition, other]) => {
    return { at: ['conditionalParams', condition], params: other };
  });
  return [{ at: ['params'], params }, ...conditional];
}
