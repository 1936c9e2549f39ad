import { type CellValue, DataDesignerError, field, type Random } from '@data-designer/core';
import { type AnySampler, isDrawable, type SamplerType } from '../define-sampler.ts';
import { withMembers } from './guarded-column.ts';
import { compileFieldCheck, type MistakeInCell } from './compile-field-check.ts';

type Params = Parameters<SamplerType['arrow']>[0];

/**
 * Wraps a plug-in's sampler: a drawn value that does not fit `arrow` is `column/bad-result`. Times are seconds, whatever
 * `arrow` says.
 */
export function guardedSampler(sampler: AnySampler): AnySampler {
  if (!isDrawable(sampler) || !('draw' in sampler)) return sampler;
  const draw: typeof sampler.draw = (params, column) => {
    const drawn = sampler.draw(params, column);
    const mistakeIn =
      sampler.converts === 'time' ? noTime(column) : compileFieldCheck(drawnBy(sampler, params, column));
    return (random: Random, read: readonly CellValue[]) => {
      const value = drawn(random, read);
      const reason = mistakeIn(value);
      if (reason !== undefined) throw new DataDesignerError('column/bad-result', { column, reason });
      return value;
    };
  };
  return withMembers(sampler, { draw });
}

function drawnBy({ arrow, json = false }: SamplerType, params: Params, column: string) {
  return field(column, arrow(params), { nullable: false, json });
}

function noTime(column: string): MistakeInCell {
  const mistakeIn = compileFieldCheck(field(column, 'float64', { nullable: false }));
  return (value) => {
    const notFinite = `'${column}' must be a time, in seconds, but it is ${String(value)}`;
    return mistakeIn(value) ?? (Number.isFinite(Number(value)) ? undefined : notFinite);
  };
}
