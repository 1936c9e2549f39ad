import type { ArrowType, CellValue, Random } from '@data-designer/core';
import type { z } from 'zod';

/** One way of drawing values: its parameters, the Arrow type of what comes out, and the draw. */
export interface SamplerType<Schema extends z.ZodObject = z.ZodObject> {
  readonly type: string;
  readonly schema: Schema;
  readonly arrow: (params: z.output<Schema>) => ArrowType;
  /** Given the parameters once a thread; the returned function draws one cell at wherever `random` stands. */
  readonly draw: (params: z.output<Schema>) => (random: Random) => CellValue;
}

/** Declares a sampler; its functions receive the parsed parameters, typed by the schema. */
export function defineSampler<Schema extends z.ZodObject>(sampler: SamplerType<Schema>): SamplerType<Schema> {
  return sampler;
}
