import type { FieldPath, Finding, Surroundings } from '@data-designer/core';
import { runFinding } from '../run-finding.ts';
import { declaredParams, type SampledColumn, type SampledParams } from '../samplers/sampled-column.ts';
import { checkConstrained } from './check-constraints.ts';
import { checkConvertTo } from './check-convert-to.ts';
import { checkLargeValues } from './check-large-values.ts';
import type { SamplerOf } from '../define-sampler.ts';

/** Finds mistakes of a sampler column beyond its schema. */
export function checkSampler(column: SampledColumn, dataset: Surroundings, samplerOf: SamplerOf): readonly Finding[] {
  const found = [
    ...declaredParams(column).flatMap(({ at, params }) => checkParams(params, { at, column, dataset, samplerOf })),
    ...checkConvertTo(column, samplerOf),
    ...checkLargeValues(column, samplerOf),
  ];
  return found.length > 0 ? found : checkConstrained(column, dataset, samplerOf);
}

interface CheckedParams {
  readonly at: FieldPath;
  readonly column: SampledColumn;
  readonly dataset: Surroundings;
  readonly samplerOf: SamplerOf;
}

function checkParams(params: SampledParams, { at, column, dataset, samplerOf }: CheckedParams): readonly Finding[] {
  const found = samplerOf(params.samplerType).check?.(params, dataset) ?? [];
  // On loading, the reference tool checks only parameters of the column's own sampler.
  const onLoad = at[0] === 'params' && params.samplerType === column.samplerType;
  const placed = found.map((finding) => ({
    ...finding,
    stage: onLoad ? finding.stage : ('run' as const),
    field: [...at, ...finding.field],
  }));
  if (params.samplerType === column.samplerType) return placed;
  const message = `the parameters are for the sampler '${params.samplerType}', but the column has the sampler '${column.samplerType}'.`;
  const told = { type: 'sampler_type_mismatch', message, remedy: 'Use the same sampler type in both.' };
  return [runFinding([...at, 'samplerType'], told), ...placed];
}
