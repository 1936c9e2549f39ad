import type { z } from 'zod';
import {
  type AnyProcessor,
  type AnySampler,
  type AnySeed,
  columnTypes,
  type Plugin,
  type SamplerSchema,
  withSamplers,
} from '@data-designer/columns';
import type { ColumnConfig, ColumnType } from '@data-designer/core';
import {
  bindConfigBuilder,
  type CastValue,
  type ColumnRow,
  type ColumnSetOf,
  type ConfigBuilderClass,
  type DataDesignerConfigBuilder as ConfigBuilder,
  type DeclarationOf,
  type DrawnSubvalue,
  type DrawnValue,
  type FurtherTypes,
  type JudgedValue,
  type ModelColumnRow,
  readHome,
  type RegisteredColumn,
  type StructuredValue,
} from '@data-designer/config';

/** What each sampler draws, from the type of its parameters; a sampler that is not here draws `unknown`. */
export interface SamplerValues<Params> {
  category: Params extends { readonly values: infer Values } ? DrawnValue<Values> : unknown;
  subcategory: Params extends { readonly values: infer Values } ? DrawnSubvalue<Values> : unknown;
  uniform: number;
  gaussian: number;
  bernoulli: 0 | 1;
  bernoulli_mixture: number;
  binomial: number;
  poisson: number;
  scipy: number;
  uuid: string;
  datetime: string;
  timedelta: string;
  person: Record<string, unknown>;
  person_from_faker: Record<string, unknown>;
}

/** Samplers whose values `convertTo` does not change. */
type Unconverted = 'uuid' | 'datetime' | 'timedelta' | 'person' | 'person_from_faker';

type SampledValue<Config> = Config extends { readonly samplerType: infer Type; readonly params: infer Params }
  ? Type extends keyof SamplerValues<Params>
    ? Converted<Config, Conditioned<Config, SamplerValues<Params>[Type]>>
    : unknown
  : unknown;

/** Other parameters draw other values: of those only the kind is known. */
type Conditioned<Config, Value> = Config extends { readonly conditionalParams: infer Conditions }
  ? [keyof Conditions] extends [never]
    ? Value
    : Widened<Value>
  : Value;

type Widened<Value> = Value extends string ? string : Value extends number ? number : Value;

type Converted<Config, Value> = Config extends { readonly samplerType: Unconverted }
  ? Value
  : Config extends { readonly convertTo: infer To }
    ? To extends 'int' | 'float'
      ? number
      : To extends 'str'
        ? string
        : Value
    : Value;

/** A row that goes on without a cell, failed or left out, has null in all that its column writes. */
type Lackable<Config, Row> = unknown extends Row
  ? Row
  : MayLack<Config> extends true
    ? { [Key in keyof Row]: Row[Key] | null }
    : Row;

type MayLack<Config> = Config extends { readonly onFailure: infer Policy }
  ? [Extract<Policy, 'null' | null>] extends [never]
    ? HasSkip<Config>
    : true
  : HasSkip<Config>;

type HasSkip<Config> = Config extends { readonly skip: infer Rule } ? ([Rule] extends [null] ? false : true) : false;

interface Verdict {
  is_valid: boolean | null;
  [key: string]: unknown;
}

/** Of several targets whose code is checked, a verdict for each; else one. */
type CheckedValue<Config> = Config extends {
  readonly validatorType: 'code';
  readonly targetColumns: readonly [unknown, unknown, ...unknown[]];
}
  ? Record<Config['targetColumns'][number] & string, Verdict>
  : Verdict;

/** What the function of a custom column gives for one row. */
type GeneratedBy<Config> = Config extends { readonly generatorFunction: (...given: never) => infer Given }
  ? Config extends { readonly generationStrategy: 'full_column' }
    ? Awaited<Given> extends readonly (infer One)[]
      ? One
      : unknown
    : Awaited<Given>
  : unknown;

/** The side effects of a custom column. */
type SideOf<Config> = Config extends {
  readonly generatorFunction: { readonly sideEffectColumns: readonly (infer Side)[] };
}
  ? Extract<Side, string>
  : never;

type CustomRow<Config> = ColumnRow<
  Config,
  Config extends { readonly name: infer Name extends keyof GeneratedBy<Config> } ? GeneratedBy<Config>[Name] : unknown
> & { [Name in SideOf<Config>]: Name extends keyof GeneratedBy<Config> ? GeneratedBy<Config>[Name] : unknown };

/** What each built-in column type writes into a row; the table of your own column types extends it. */
export interface BuiltInRows<Config> {
  sampler: ColumnRow<Config, SampledValue<Config>>;
  expression: Lackable<Config, ColumnRow<Config, CastValue<Config>>>;
  'llm-text': Lackable<Config, ModelColumnRow<Config, string>>;
  'llm-code': Lackable<Config, ModelColumnRow<Config, string>>;
  'llm-structured': Lackable<
    Config,
    ModelColumnRow<Config, Config extends { readonly outputFormat: infer Format } ? StructuredValue<Format> : never>
  >;
  'llm-judge': Lackable<
    Config,
    ModelColumnRow<Config, Config extends { readonly scores: infer Scores } ? JudgedValue<Scores> : never>
  >;
  embedding: Lackable<Config, ColumnRow<Config, { embeddings: number[][]; num_embeddings: number; dimension: number }>>;
  image: Lackable<Config, ColumnRow<Config, string[]>>;
  custom: Lackable<Config, CustomRow<Config>>;
  validation: Lackable<Config, ColumnRow<Config, CheckedValue<Config>>>;
}

/** The built-in column types, for the compiler. */
export interface BuiltInColumns extends ColumnSetOf<typeof columnTypes> {
  readonly rows: BuiltInRows<this['config']>;
}

/** Declares a dataset of the built-in column types, its rows typed by the chain of `addColumn`. */
export const DataDesignerConfigBuilder: ConfigBuilderClass<BuiltInColumns> = bindConfigBuilder(columnTypes, {
  defaultModels: () => readHome().models,
});

/** A builder of the built-in column types. */
export type DataDesignerConfigBuilder<Row = unknown> = ConfigBuilder<BuiltInColumns, Row>;

/** The built-in types and those of a plug-in, of whose cells nothing is known, for the compiler. */
export interface ColumnsWith<
  Types extends readonly RegisteredColumn[],
  Processor extends AnyProcessor = never,
  Seed extends AnySeed = never,
  Samplers extends readonly AnySampler[] = readonly [],
> extends ColumnSetOf<readonly [...typeof columnTypes, ...Types, SamplersAs<Samplers>]> {
  readonly rows: BuiltInRows<this['config']>;
  readonly processor: Extract<
    DeclarationOf<z.input<Processor['schema']>>,
    { readonly name: string; readonly processorType: string }
  >;
  readonly seedSource: Extract<DeclarationOf<z.input<Seed['schema']>>, { readonly seedType: string }>;
}

/** Further samplers as one more shape of `sampler` columns, for the compiler. */
type SamplersAs<Samplers extends readonly AnySampler[]> = ColumnType<
  z.output<SamplerSchema<Samplers>> & ColumnConfig,
  SamplerSchema<Samplers>
>;

/** The class of a builder that knows the types of a plug-in beside the built-in ones. */
export function configBuilderWith<
  const Types extends readonly RegisteredColumn[],
  Processor extends AnyProcessor,
  Seed extends AnySeed,
  const Samplers extends readonly AnySampler[] = readonly [],
>(plugin: Plugin<Types, Processor, Seed, Samplers>): ConfigBuilderClass<ColumnsWith<Types, Processor, Seed, Samplers>> {
  type Known = ColumnsWith<Types, Processor, Seed, Samplers>;
  const own = [...columnTypes, ...(plugin.columns ?? [])];
  const types = withSamplers(own, plugin.samplers ?? []) as unknown as Known['types'];
  const { processors = [], seeds = [] } = plugin as unknown as FurtherTypes;
  return bindConfigBuilder<Known>(types, { defaultModels: () => readHome().models, further: { processors, seeds } });
}
