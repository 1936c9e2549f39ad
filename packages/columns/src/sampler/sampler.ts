import {
  type CellValue,
  type ColumnData,
  field,
  type Random,
  type Reference,
  type RowRange,
} from '@data-designer/core';
import { columnFields, defineColumn } from '@data-designer/config';
import { z } from 'zod';
import type { SamplerType } from '../define-sampler.ts';
import { samplers } from '../samplers.ts';

/** The declaration of a column of one sampler. */
type Variant<Schema extends z.ZodObject> = z.ZodObject<
  ReturnType<typeof columnFields<'sampler'>> & {
    samplerType: z.ZodLiteral<NonNullable<z.input<Schema>['samplerType']> & string>;
    params: Schema;
  },
  z.core.$strict
>;

type Variants<Samplers extends readonly { readonly schema: z.ZodObject }[]> = {
  -readonly [Index in keyof Samplers]: Variant<Samplers[Index]['schema']>;
};

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
  schema: z.discriminatedUnion('samplerType', variants as unknown as Variants<typeof samplers>),
  reads: readsOf,
  writes: (config) => [field(config.name, samplerOf(config).arrow(config.params))],
  fill: (config) => {
    const draw = samplerOf(config).draw(config.params, config.name);
    const reads = readsOf(config);
    return ({ firstRow, rows }: RowRange, random: Random, columns: ReadonlyMap<string, ColumnData>) => {
      const sources = reads.map(({ name }) => columns.get(name));
      const read: CellValue[] = [];
      const drawAt = (index: number): CellValue => {
        for (let at = 0; at < sources.length; at++) read[at] = sources[at]?.[index] ?? null;
        return draw(random.at(firstRow + index), read);
      };
      return [Array.from({ length: rows }, (_, index) => drawAt(index))];
    };
  },
});

interface SamplerConfig {
  readonly samplerType: string;
  readonly params: Record<string, unknown>;
}

function samplerOf({ samplerType }: SamplerConfig): SamplerType {
  return byType.get(samplerType) as SamplerType;
}

function readsOf(config: SamplerConfig): readonly Reference[] {
  return samplerOf(config).reads?.(config.params) ?? [];
}
