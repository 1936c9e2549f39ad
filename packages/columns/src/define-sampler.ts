import type { ArrowType, CellValue, Finding, Random, Reference, Surroundings } from '@data-designer/core';
import type { z } from 'zod';

/** Draws one cell at wherever `random` stands; `read` holds the row's values of the columns that the sampler reads. */
type Draw = (random: Random, read: readonly CellValue[]) => CellValue;

/** One way of drawing values: its parameters, the Arrow type of what comes out, and the draw. */
export interface SamplerType<Schema extends z.ZodObject = z.ZodObject> {
  readonly type: string;
  /** Its first field is `samplerType`, a literal of `type` with that default. */
  readonly schema: Schema;
  readonly arrow: (params: z.output<Schema>) => ArrowType;
  /** The text that is drawn holds JSON, because its shape has no Arrow type. */
  readonly json?: boolean;
  /** What `convert_to` may be: a type of number or text, a format of times, or without effect. */
  readonly converts: 'number' | 'time' | 'nothing';
  /** The columns that a draw looks at, none unless given; a field is a path within the parameters. */
  readonly reads?: (params: z.output<Schema>) => readonly Reference[];
  /** What is wrong with parameters beyond their schema; a field is a path within the parameters. */
  readonly check?: (params: z.output<Schema>, dataset: Surroundings) => readonly Finding[];
  /** Given the parameters, and the column's name for messages, once a thread; absent where it cannot be drawn yet. */
  readonly draw?: (params: z.output<Schema>, column: string) => Draw;
}

/** Declares a sampler; its functions receive the parsed parameters, typed by the schema. */
export function defineSampler<Schema extends z.ZodObject>(sampler: SamplerType<Schema>): SamplerType<Schema> {
  return sampler;
}
