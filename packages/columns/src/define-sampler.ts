import type { ArrowType, CellValue, Random, Reference } from '@data-designer/core';
import type { z } from 'zod';

/** Draws one cell at wherever `random` stands; `read` holds the row's values of the columns that the sampler reads. */
type Draw = (random: Random, read: readonly CellValue[]) => CellValue;

/** One way of drawing values: its parameters, the Arrow type of what comes out, and the draw. */
export interface SamplerType<Schema extends z.ZodObject = z.ZodObject> {
  readonly type: string;
  readonly schema: Schema;
  readonly arrow: (params: z.output<Schema>) => ArrowType;
  /** The columns that a draw looks at, none unless given; they must be filled ahead of rows, as samplers are. */
  readonly reads?: (params: z.output<Schema>) => readonly Reference[];
  /** Given the parameters, and the column's name for messages, once a thread. */
  readonly draw: (params: z.output<Schema>, column: string) => Draw;
}

/** Declares a sampler; its functions receive the parsed parameters, typed by the schema. */
export function defineSampler<Schema extends z.ZodObject>(sampler: SamplerType<Schema>): SamplerType<Schema> {
  return sampler;
}
