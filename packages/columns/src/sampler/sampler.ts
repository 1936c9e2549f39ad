import { field, type Random, type RowRange } from '@data-designer/core';
import { columnFields, defineColumn } from '@data-designer/config';
import { z } from 'zod';
import type { SamplerType } from '../define-sampler.ts';
import { samplers } from '../samplers.ts';

const variants = samplers.map(({ type, schema }) =>
  z.strictObject({
    ...columnFields('sampler'),
    samplerType: z.literal(type).describe('How values are drawn.'),
    params: schema.describe('Parameters of the draw.'),
  }),
);

const byType: ReadonlyMap<string, SamplerType> = new Map(
  samplers.map((one) => [one.type, one as unknown as SamplerType]),
);

/** Draws each cell from a distribution or a list, by the sampler that it names. */
export const sampler = defineColumn({
  type: 'sampler',
  schema: z.discriminatedUnion('samplerType', variants as [(typeof variants)[number]]),
  reads: () => [],
  writes: (config) => [field(config.name, samplerOf(config.samplerType).arrow(config.params))],
  fill: (config) => {
    const draw = samplerOf(config.samplerType).draw(config.params);
    return ({ firstRow, rows }: RowRange, random: Random) => [
      Array.from({ length: rows }, (_, index) => draw(random.at(firstRow + index))),
    ];
  },
});

function samplerOf(type: string): SamplerType {
  return byType.get(type) as SamplerType;
}
