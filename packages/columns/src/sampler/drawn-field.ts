import { type ArrowField, type ArrowType, field } from '@data-designer/core';
import { allParams, type SampledColumn } from '../samplers/sampled-column.ts';
import type { SamplerOf } from '../define-sampler.ts';

const CONVERTED = new Map<string | null, ArrowType>([
  ['int', 'int64'],
  ['float', 'float64'],
  ['str', 'utf8'],
]);

/** The Arrow field of a sampler column, never null: the common type of all its parameters after conversion. */
export function drawnField(column: SampledColumn, samplerOf: SamplerOf): ArrowField {
  const converted = samplerOf(column.samplerType).converts === 'number' ? CONVERTED.get(column.convertTo) : undefined;
  if (converted !== undefined) return field(column.name, converted, { nullable: false });
  const drawn = allParams(column).map((params) => {
    const { arrow, json = false, converts } = samplerOf(params.samplerType);
    // Times are drawn as seconds and written as text.
    return { type: converts === 'time' ? ('utf8' as const) : arrow(params), json };
  });
  const [first] = drawn;
  const type = drawn.map((one) => one.type).reduce(widened);
  return field(column.name, type, { nullable: false, json: first !== undefined && drawn.every(({ json }) => json) });
}

/** The common type of two: float64 for integers and floats, else text. */
function widened(one: ArrowType, other: ArrowType): ArrowType {
  if (one === other) return one;
  const numbers: readonly ArrowType[] = ['int64', 'float64'];
  return numbers.includes(one) && numbers.includes(other) ? 'float64' : 'utf8';
}
