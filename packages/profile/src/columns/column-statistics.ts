import type { CellValue } from '@data-designer/core';
import {
  type CalculatedValue,
  type ColumnProfile,
  type Figure,
  NOT_CALCULATED,
  type TokenProfile,
} from '../dataset-profile.ts';

/** The statistics of a column in the keys of `column_statistics` of NeMo Data Designer's `metadata.json`. */
export function columnStatistics(profile: ColumnProfile): CellValue {
  return {
    column_name: profile.name,
    column_type: profile.columnType,
    num_records: profile.records,
    num_null: profile.nulls,
    num_unique: profile.unique,
    pyarrow_dtype: profile.storedType,
    simple_dtype: profile.dataType,
    ...(profile.samplerType === undefined ? {} : distributionOf(profile, profile.samplerType)),
    ...(profile.valid === undefined ? {} : { num_valid_records: profile.valid }),
    ...(profile.outputTokens === undefined
      ? {}
      : { ...tokens('input', profile.inputTokens), ...tokens('output', profile.outputTokens) }),
  };
}

/** Part of a whole in percent with two decimals (as in NeMo Data Designer); a marked figure stays marked. */
export function percentOf(part: Figure, whole: number): Figure {
  return part === NOT_CALCULATED ? part : Math.round((100 * 100 * part) / (whole + 1e-8)) / 100;
}

function tokens(what: string, profile: CalculatedValue<TokenProfile> | undefined): { [key: string]: CellValue } {
  const known = typeof profile === 'object' ? profile : undefined;
  return {
    [`${what}_tokens_mean`]: known?.mean ?? NOT_CALCULATED,
    [`${what}_tokens_median`]: known?.median ?? NOT_CALCULATED,
    [`${what}_tokens_stddev`]: known?.stddev ?? NOT_CALCULATED,
  };
}

function distributionOf(profile: ColumnProfile, samplerType: string): { [key: string]: CellValue } {
  const { numbers, categories, distribution = 'other' } = profile;
  const named = (distribution_type: string, values: CellValue) => ({
    sampler_type: samplerType,
    distribution_type,
    distribution: values,
  });
  if (numbers === NOT_CALCULATED || categories === NOT_CALCULATED) return named('unknown', NOT_CALCULATED);
  if (distribution === 'numerical' && numbers) {
    const { min, max, mean, stddev, median } = numbers;
    return named('numerical', { min, max, mean, stddev: stddev ?? NOT_CALCULATED, median });
  }
  if (distribution === 'categorical' && categories) {
    const { top, least } = categories;
    return named('categorical', {
      most_common_value: top[0]?.value ?? '',
      least_common_value: least,
      histogram: { categories: top.map(({ value }) => value), counts: top.map(({ records }) => records) },
    });
  }
  return named(distribution === 'text' ? 'text' : 'other', null);
}
