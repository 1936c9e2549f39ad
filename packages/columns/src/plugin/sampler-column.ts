import { type CellValue, DataDesignerError, field, type FilledColumn } from '@data-designer/core';
import { defineColumn, type RegisteredColumn, sourceColumnFields } from '@data-designer/config';
import { z } from 'zod';
import type { SamplerType } from '../define-sampler.ts';

type Params = Readonly<Record<string, unknown>>;

/** A sampler of a plug-in as a type of column: `column_type` is its name, `params` are its parameters. */
export function samplerColumn(sampler: SamplerType): RegisteredColumn {
  const { type, schema: params } = sampler;
  const column = defineColumn({
    type,
    schema: z.strictObject({ ...sourceColumnFields(type), params: params.describe('Parameters of the draw.') }),
    reads: (config) =>
      (sampler.reads?.(config.params as Params) ?? []).map(({ name, field: at }) => ({
        name,
        field: ['params', ...at],
      })),
    writes: (config) => [field(config.name, sampler.arrow(config.params as Params), { json: sampler.json ?? false })],
    check: (config, dataset) =>
      (sampler.check?.(config.params as Params, dataset) ?? []).map((one) => ({
        ...one,
        field: ['params', ...one.field],
      })),
    fill: (config) => {
      const draw = drawOf(sampler, config.params, config.name);
      const reads = (sampler.reads?.(config.params as Params) ?? []).map(({ name }) => name);
      return ({ firstRow, rows }, random, columns): FilledColumn => {
        const read = reads.map((name) => columns.written.get(name));
        const drawAt = (position: number): CellValue =>
          draw(
            random.at(firstRow + position),
            read.map((values) => values?.[position] ?? null),
          );
        return { written: [Array.from({ length: rows }, (_, position) => drawAt(position))] };
      };
    },
  });
  return column;
}

function drawOf(sampler: SamplerType, params: Params, column: string) {
  if ('draw' in sampler) return sampler.draw(params, column);
  if ('distribution' in sampler) return sampler.distribution(params).draw;
  const reason = `the sampler '${sampler.type}' draws from a collection, which one of a plug-in cannot`;
  throw new DataDesignerError('internal/unexpected', { reason });
}
