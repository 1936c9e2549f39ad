import type { CollectionRequest, DeclaredTemplate, Reference } from '@data-designer/core';
import { defineColumn } from '@data-designer/config';
import { allParams, type SampledColumn, type SampledParams } from '../samplers/sampled-column.ts';
import { checkSampler } from './check-sampler.ts';
import { drawnField } from './drawn-field.ts';
import { fillSampler } from './fill-sampler.ts';
import { placesOf } from './places-of.ts';
import { samplerOf } from './sampler-of.ts';
import { samplerSchema } from './sampler-schema.ts';
import { collectionOf } from './way.ts';

/** Draws each cell from a distribution or a list, by the sampler that it names. */
export const sampler = defineColumn({
  type: 'sampler',
  schema: samplerSchema,
  templates: (config) => Object.keys(config.conditionalParams).map(conditionOf),
  reads: readsOf,
  writes: (config) => [drawnField(config)],
  collections: collectionsOf,
  check: checkSampler,
  fill: fillSampler,
});

function conditionOf(condition: string): DeclaredTemplate {
  return { source: condition, field: ['conditionalParams', condition], role: 'condition' };
}

/** The columns that draws look at, those under conditions too. */
function readsOf(config: SampledColumn): readonly Reference[] {
  return placesOf(config).flatMap(({ at, params }) =>
    readsOfParams(params).map(({ name, field }) => ({ name, field: [...at, ...field] })),
  );
}

function readsOfParams(params: SampledParams): readonly Reference[] {
  return samplerOf(params.samplerType).reads?.(params) ?? [];
}

function collectionsOf(config: SampledColumn): readonly CollectionRequest[] {
  return allParams(config).flatMap((params, index) => collectionOf(config, params, index) ?? []);
}
