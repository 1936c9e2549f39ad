import { type FieldPath, type Finding, itemsOf } from '@data-designer/core';
import { INT64_BOUND } from '../expression/cast.ts';
import { runFinding } from '../run-finding.ts';
import { declaredParams, type SampledColumn } from '../samplers/sampled-column.ts';
import { drawnField } from './drawn-field.ts';
import type { SamplerOf } from '../define-sampler.ts';

/** Finds listed integers that are too large for a 64-bit column. */
export function checkLargeValues(column: SampledColumn, samplerOf: SamplerOf): readonly Finding[] {
  if (drawnField(column, samplerOf).type !== 'int64') return [];
  return declaredParams(column).flatMap(({ at, params }) =>
    listsIn(params.values, [...at, 'values']).flatMap(([values, path]) => values.flatMap(tooLargeAt(path))),
  );
}

/** The lists under `values`: one, or one per category. */
function listsIn(values: unknown, path: FieldPath): (readonly [values: readonly unknown[], path: FieldPath])[] {
  if (Array.isArray(values)) return [[itemsOf(values), path]];
  if (typeof values !== 'object' || values === null) return [];
  return Object.entries(values).flatMap(([key, list]) => (Array.isArray(list) ? listsIn(list, [...path, key]) : []));
}

function tooLargeAt(path: FieldPath): (value: unknown, index: number) => readonly Finding[] {
  return (value, index) => {
    if (typeof value !== 'bigint' || (value >= -INT64_BOUND && value < INT64_BOUND)) return [];
    const message = `${value} does not fit into a 64-bit integer column.`;
    const remedy = "Use a smaller number, or store the values as text with convert_to: 'str'.";
    return [runFinding([...path, index], { type: 'out_of_range', message, remedy })];
  };
}
