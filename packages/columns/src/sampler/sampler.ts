import {
  type CellValue,
  type ColumnData,
  DataDesignerError,
  type DeclaredTemplate,
  type Random,
  type Reference,
  type RowRange,
} from '@data-designer/core';
import { defineColumn } from '@data-designer/config';
import type { SampledColumn, SampledParams } from '../samplers/sampled-column.ts';
import { checkSampler, placesOf } from './check-sampler.ts';
import { drawnField } from './drawn-field.ts';
import { samplerOf } from './sampler-of.ts';
import { samplerSchema } from './sampler-schema.ts';

/** Draws each cell from a distribution or a list, by the sampler that it names. */
export const sampler = defineColumn({
  type: 'sampler',
  schema: samplerSchema,
  templates: (config) => Object.keys(config.conditionalParams).map(conditionOf),
  reads: readsOf,
  writes: (config) => [drawnField(config)],
  check: checkSampler,
  fill,
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

function fill({ name, params }: SampledColumn) {
  const draw = samplerOf(params.samplerType).draw?.(params, name);
  if (!draw) throw notDrawn(name, params);
  const reads = readsOfParams(params);
  return ({ firstRow, rows }: RowRange, random: Random, columns: ReadonlyMap<string, ColumnData>) => {
    const sources = reads.map((reference) => columns.get(reference.name));
    const read: CellValue[] = [];
    const drawAt = (index: number): CellValue => {
      for (let at = 0; at < sources.length; at++) read[at] = sources[at]?.[index] ?? null;
      return draw(random.at(firstRow + index), read);
    };
    return [Array.from({ length: rows }, (_, index) => drawAt(index))];
  };
}

/** The check of the config refuses such a column before any run. */
function notDrawn(name: string, { samplerType }: SampledParams): DataDesignerError {
  const reason = `the column '${name}' was to be drawn by '${samplerType}', which this version cannot`;
  return new DataDesignerError('internal/unexpected', { reason });
}
