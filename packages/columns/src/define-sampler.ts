import type { z } from 'zod';
import type {
  ArrowType,
  CellValue,
  CollectionRequest,
  ColumnData,
  Distribution,
  Finding,
  Random,
  Reference,
  Surroundings,
  ValueType,
} from '@data-designer/core';

/** Draws one cell at wherever `random` stands; `read` holds the row's values of the columns that the sampler reads. */
type Draw = (random: Random, read: readonly CellValue[]) => CellValue;

/** A distribution of numbers: its draws, and where its values lie, for draws within bounds. */
export interface NumberDistribution {
  /** Draws integers. */
  readonly discrete: boolean;
  /** The lowest and the highest value, infinite where there is none. */
  readonly support: readonly [lowest: number, highest: number];
  /** Draws a number at wherever `random` stands. */
  readonly draw: (random: Random) => number;
  /** The probability of a value of at most `x`. */
  readonly cdf: (x: number) => number;
  /** The least value whose `cdf` is at least `p`, for p in (0, 1). */
  readonly quantile: (p: number) => number;
}

/** How the values of a sampler come to be. */
type Drawing<Params> =
  /** Numbers of a distribution. */
  | { readonly distribution: (params: Params) => NumberDistribution }
  /** Anything else; given the parameters, and the column's name for messages, once a thread. Times are seconds since 1970. */
  | { readonly draw: (params: Params, column: string) => Draw }
  /** From rows of an installed collection, which belong to those of the run by their positions. */
  | {
      readonly collection: (params: Params) => Omit<CollectionRequest, 'table'>;
      readonly drawFrom: (
        params: Params,
      ) => (rows: ReadonlyMap<string, ColumnData>) => (random: Random, position: number) => CellValue;
    };

/** What `convert_to` may be: a number type or text, a time format, or a setting without effect. */
export type Conversion = 'number' | 'time' | 'nothing';

/**
 * A sampler: its parameters, the types of its values, and the draw. Statistics, reports and the builder learn about a
 * sampler from these members alone.
 */
export type SamplerType<
  Schema extends z.ZodObject = z.ZodObject,
  Value = unknown,
  Converts extends Conversion = Conversion,
> = Drawing<z.output<Schema>> & {
  readonly type: string;
  /** Its first field is `samplerType`, a literal of `type` with that default. */
  readonly schema: Schema;
  /** The TypeScript type of its values, or a `TypeFunction` of its parameters; `unknown` if absent. */
  readonly value?: ValueType<Value>;
  /** How statistics describe its values; numerical with a `distribution`, else other, unless given. */
  readonly statistics?: Distribution;
  /** Parameters for the conformance test. They may read the text column `color` and the time column `day`. */
  readonly example?: z.input<Schema>;
  readonly arrow: (params: z.output<Schema>) => ArrowType;
  /** The text that is drawn holds JSON, because its shape has no Arrow type. */
  readonly json?: boolean;
  readonly converts: Converts;
  /** The columns that a draw looks at, none unless given; a field is a path within the parameters. */
  readonly reads?: (params: z.output<Schema>) => readonly Reference[];
  /** What is wrong with parameters beyond their schema; a field is a path within the parameters. */
  readonly check?: (params: z.output<Schema>, dataset: Surroundings) => readonly Finding[];
};

/** Declares a sampler; its functions receive the parsed parameters, typed by the schema. */
export function defineSampler<Schema extends z.ZodObject, Value = unknown, Converts extends Conversion = Conversion>(
  sampler: SamplerType<Schema, Value, Converts>,
): SamplerType<Schema, Value, Converts> {
  return sampler;
}
