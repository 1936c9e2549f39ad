import { z } from 'zod';
import {
  type ArrowType,
  type CellValue,
  type ChoicesOf,
  type CollectionRequest,
  type ColumnData,
  DataDesignerError,
  type Distribution,
  type Finding,
  type Random,
  type Reference,
  type Surroundings,
  type ValueType,
} from '@data-designer/core';

/** Draws one cell; `random` is positioned at its row, and `read` holds the row's values of the columns in `reads`. */
type Draw = (random: Random, read: readonly CellValue[]) => CellValue;

/** A distribution of numbers; `cdf` and `quantile` serve draws within bounds. */
export interface NumberDistribution {
  /** Whether it draws integers. */
  readonly discrete: boolean;
  /** The lowest and the highest value; infinite if unbounded. */
  readonly support: readonly [lowest: number, highest: number];
  /** Draws a number; `random` is positioned at the row. */
  readonly draw: (random: Random) => number;
  /** The probability of a value of at most `x`. */
  readonly cdf: (x: number) => number;
  /** The least value whose `cdf` is at least `p`, for p in (0, 1). */
  readonly quantile: (p: number) => number;
}

/** How a sampler draws its values. */
type Drawing<Params> =
  /** Numbers from a distribution. */
  | { readonly distribution: (params: Params) => NumberDistribution }
  /** Other values; called once per thread with the parameters and, for messages, the column name. Times are seconds since 1970. */
  | { readonly draw: (params: Params, column: string) => Draw }
  /** Values from rows of an installed collection; row k of the request belongs to row k of the range. */
  | {
      readonly collection: (params: Params) => Omit<CollectionRequest, 'table'>;
      readonly drawFrom: (
        params: Params,
      ) => (rows: ReadonlyMap<string, ColumnData>) => (random: Random, position: number) => CellValue;
    };

/** What `convert_to` may be: a number type or text, a time format, or a setting without effect. */
export type Conversion = 'number' | 'time' | 'nothing';

/** A sampler: its parameters, the types of its values, and the draw. */
export type SamplerType<
  Schema extends z.ZodObject = z.ZodObject,
  Value = unknown,
  Converts extends Conversion = Conversion,
> = Drawing<z.output<Schema>> & {
  /** Its `sampler_type`. */
  readonly type: string;
  /** Its first field is `samplerType`, a literal of `type` with that default. */
  readonly schema: Schema;
  /** The TypeScript type of its values, or a `TypeFunction` of its parameters; `unknown` if absent. */
  readonly value?: ValueType<Value>;
  /** How statistics describe its values; numerical with a `distribution`, else other, unless given. */
  readonly statistics?: Distribution;
  /** The largest number of different values that it draws; by default that of its distribution. See `ColumnType.choices`. */
  readonly choices?: (params: z.output<Schema>, choicesOf: ChoicesOf) => number | undefined;
  /** All values that it draws, where the parameters list them. */
  readonly listed?: (params: z.output<Schema>) => readonly CellValue[];
  /** Parameters for the conformance test. They may read the text column `color` and the time column `day`. */
  readonly example?: z.input<Schema>;
  /** The Arrow type of its values. */
  readonly arrow: (params: z.output<Schema>) => ArrowType;
  /** Whether the drawn text is JSON, because its shape has no Arrow type. */
  readonly json?: boolean;
  /** What `convert_to` may be. */
  readonly converts: Converts;
  /** The columns that a draw reads; none by default. A field is a path within the parameters. */
  readonly reads?: (params: z.output<Schema>) => readonly Reference[];
  /** Findings beyond the schema; a field is a path within the parameters. */
  readonly check?: (params: z.output<Schema>, dataset: Surroundings) => readonly Finding[];
};

/** The field that every sampler's schema begins with. */
export function samplerFields<const Type extends string>(type: Type) {
  return {
    samplerType: z.literal(type).default(type).describe('The sampler that these parameters belong to.'),
  } as const;
}

/** Declares a sampler; its functions receive the parsed parameters, typed by the schema. */
export function defineSampler<Schema extends z.ZodObject, Value = unknown, Converts extends Conversion = Conversion>(
  sampler: SamplerType<Schema, Value, Converts>,
): SamplerType<Schema, Value, Converts> {
  return sampler;
}

/** Any sampler, as far as its parameters do not matter. */
export type AnySampler = Pick<SamplerType, 'type' | 'schema'>;

/** Looks up a sampler by a name that the schema has accepted. */
export type SamplerOf = (samplerType: string) => SamplerType;

/** Whether a sampler has the members to draw with: all have, but types of their own parameters. */
export function isDrawable(sampler: AnySampler | undefined): sampler is SamplerType {
  return sampler !== undefined && 'arrow' in sampler;
}

/** A lookup over a list of samplers. */
export function samplersByName(samplers: readonly AnySampler[]): SamplerOf {
  const byType = new Map(samplers.map((one) => [one.type, one]));
  return (samplerType) => {
    const sampler = byType.get(samplerType);
    if (isDrawable(sampler)) return sampler;
    throw new DataDesignerError('internal/unexpected', { reason: `there is no sampler '${samplerType}'` });
  };
}
