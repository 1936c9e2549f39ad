import type { z } from 'zod';
import type {
  ChoicesOf,
  CollectionRequest,
  ColumnConfig,
  ColumnType,
  DeclaredTemplate,
  Distribution,
  ListedValues,
  Reference,
} from '@data-designer/core';
import { declaredParams, allParams, type SampledColumn, type SampledParams } from '../samplers/sampled-column.ts';
import { type SamplerType, type AnySampler, type SamplerOf, samplersByName } from '../define-sampler.ts';
import type { SampledRow } from './sampled-value.ts';
import { checkSampler } from './check-sampler.ts';
import { drawnField } from './drawn-field.ts';
import { fillSampler } from './fill-sampler.ts';
import { type SamplerSchema, samplerSchemaOf } from './sampler-schema.ts';
import { collectionOf, drawnNumbers } from './prepare-params.ts';

/** The `sampler` column type over these samplers. */
export function samplerColumn<const Samplers extends readonly AnySampler[]>(
  samplers: Samplers,
): ColumnType<z.output<SamplerSchema<Samplers>> & ColumnConfig, SamplerSchema<Samplers>, SampledRow<Samplers>> {
  const samplerOf = samplersByName(samplers);
  const column: ColumnType<SampledColumn & ColumnConfig> = {
    type: 'sampler',
    bounded: true,
    schema: samplerSchemaOf(samplers),
    templates: (config) => Object.keys(config.conditionalParams).map(conditionOf),
    reads: (config) => readsOf(config, samplerOf),
    writes: (config) => [drawnField(config, samplerOf)],
    collections: (config) => collectionsOf(config, samplerOf),
    check: (config, dataset) => checkSampler(config, dataset, samplerOf),
    distribution: ({ samplerType }) => distributionOf(samplerOf(samplerType)),
    choices: (config, others) => choicesOf(config, samplerOf, others),
    listed: (config) => listedBy(config, samplerOf),
    fill: (config, setting) => fillSampler(config, setting, samplerOf),
  };
  return column as unknown as ReturnType<typeof samplerColumn<Samplers>>;
}

function distributionOf(sampler: SamplerType): Distribution {
  return sampler.statistics ?? ('distribution' in sampler ? 'numerical' : 'other');
}

/** The drawn values, unless they are converted or depend on the row. */
function listedBy(config: SampledColumn, samplerOf: SamplerOf): readonly ListedValues[] {
  const [params, ...others] = allParams(config);
  if (!params || others.length > 0 || config.convertTo !== null) return [];
  const values = samplerOf(params.samplerType).listed?.(params);
  return values ? [{ path: [], values }] : [];
}

/** The sum over all parameters, since conditional ones may add values; undefined if one of them has no known number. */
function choicesOf(config: SampledColumn, samplerOf: SamplerOf, others: ChoicesOf): number | undefined {
  let sum = 0;
  for (const params of allParams(config)) {
    const count = samplerOf(params.samplerType).choices?.(params, others) ?? numbersIn(config, params, samplerOf);
    if (count === undefined) return undefined;
    sum += count;
  }
  return sum;
}

/** How many numbers a distribution within finite bounds draws: integers, or the multiples of what it is rounded to. */
function numbersIn(config: SampledColumn, params: SampledParams, samplerOf: SamplerOf): number | undefined {
  const { distribution, lattice } = drawnNumbers(config, params, samplerOf);
  if (!distribution) return undefined;
  const [lowest, highest] = distribution.support;
  // Text is printed before numbers would be rounded.
  const rounded = drawnField(config, samplerOf).type === 'utf8' ? 0 : lattice.step;
  const step = Math.max(rounded, distribution.discrete ? 1 : 0);
  if (step === 0) return lowest === highest ? 1 : undefined;
  const count = Math.round(highest / step) - Math.round(lowest / step) + 1;
  return Number.isFinite(count) && count > 0 ? count : undefined;
}

function conditionOf(condition: string): DeclaredTemplate {
  return { source: condition, field: ['conditionalParams', condition], role: 'condition' };
}

/** The columns that draws read, including those of conditional parameters. */
function readsOf(config: SampledColumn, samplerOf: SamplerOf): readonly Reference[] {
  return declaredParams(config).flatMap(({ at, params }) =>
    readsOfParams(params, samplerOf).map(({ name, field }) => ({ name, field: [...at, ...field] })),
  );
}

function readsOfParams(params: SampledParams, samplerOf: SamplerOf): readonly Reference[] {
  return samplerOf(params.samplerType).reads?.(params) ?? [];
}

function collectionsOf(config: SampledColumn, samplerOf: SamplerOf): readonly CollectionRequest[] {
  return allParams(config).flatMap((params, index) => collectionOf(config, params, { index, samplerOf }) ?? []);
}
