import { type CellValue, field, type Random } from '@data-designer/core';
import { type AnySampler, isDrawable } from '../define-sampler.ts';
import { badResult } from '../cell-members.ts';
import { withMembers } from './guarded-column.ts';
import { compileFieldCheck, type MistakeInCell } from './compile-field-check.ts';

/** Wraps a plug-in's sampler: a value that does not fit `arrow` is `column/bad-result`; times are seconds. */
export function guardedSampler(sampler: AnySampler): AnySampler {
  if (!isDrawable(sampler) || !('draw' in sampler)) return sampler;
  const draw: typeof sampler.draw = (params, column) => {
    const drawn = sampler.draw(params, column);
    const mistakeIn =
      sampler.converts === 'time'
        ? timeCheck(column)
        : compileFieldCheck(field(column, sampler.arrow(params), { nullable: false, json: sampler.json ?? false }));
    return (random: Random, read: readonly CellValue[]) => {
      const value = drawn(random, read);
      const reason = mistakeIn(value);
      if (reason !== undefined) throw badResult(column, reason);
      return value;
    };
  };
  return withMembers(sampler, { draw });
}

function timeCheck(column: string): MistakeInCell {
  const mistakeIn = compileFieldCheck(field(column, 'float64', { nullable: false }));
  return (value) => {
    const notFinite = `'${column}' must be a time, in seconds, but it is ${String(value)}`;
    return mistakeIn(value) ?? (Number.isFinite(Number(value)) ? undefined : notFinite);
  };
}
