import type { z } from 'zod';
import {
  type AnyProcessor,
  type AnySampler,
  type AnySeed,
  columnTypes,
  type Plugin,
  samplers,
  type SampledRow,
  type SamplerSchema,
  type ValuesOf,
  withSamplers,
} from '@data-designer/columns';
import type { ColumnConfig, ColumnType } from '@data-designer/core';
import {
  bindConfigBuilder,
  type ColumnSetOf,
  type ConfigBuilderClass,
  type ConfigBuilder,
  type DeclarationOf,
  type FurtherTypes,
  readHome,
  type RegisteredColumn,
  type RowsOf,
} from '@data-designer/config';

/** The TypeScript type of the values of each built-in sampler, by the type of its parameters. */
export type SamplerValues<Params> = ValuesOf<typeof samplers, Params>;

/** The TypeScript type of the record that each built-in column type writes. */
export type BuiltInRows<Config> = RowsOf<typeof columnTypes, Config>;

/** The built-in column types, as a type parameter of the config builder. */
export interface BuiltInColumns extends ColumnSetOf<typeof columnTypes> {
  /** The record of a column. */
  readonly rows: BuiltInRows<this['config']>;
}

/** Declares a dataset of the built-in column types, its rows typed by the chain of `addColumn`. */
export const DataDesignerConfigBuilder: ConfigBuilderClass<BuiltInColumns> = bindConfigBuilder(columnTypes, {
  defaultModels: () => readHome().models,
});

/** A builder of the built-in column types. */
export type DataDesignerConfigBuilder<Row = unknown> = ConfigBuilder<BuiltInColumns, Row>;

/** The records of the built-in column types, in which sampler columns may draw from samplers of a plug-in too. */
export type RowsWith<Samplers extends readonly AnySampler[], Config> = [Samplers] extends [readonly []]
  ? BuiltInRows<Config>
  : Omit<BuiltInRows<Config>, 'sampler'> & RowsOf<readonly [SamplersAs<Samplers>], Config>;

/** The built-in types and those of a plug-in, as a type parameter of the config builder. Cells of its columns are untyped. */
export interface ColumnsWith<
  Types extends readonly RegisteredColumn[],
  Processor extends AnyProcessor = never,
  Seed extends AnySeed = never,
  Samplers extends readonly AnySampler[] = readonly [],
> extends ColumnSetOf<readonly [...typeof columnTypes, ...Types, SamplersAs<Samplers>]> {
  /** The record of a column. */
  readonly rows: RowsWith<Samplers, this['config']>;
  /** The declaration of a processor of the plug-in. */
  readonly processor: Extract<
    DeclarationOf<z.input<Processor['schema']>>,
    { readonly name: string; readonly processorType: string }
  >;
  /** The declaration of a seed source of the plug-in. */
  readonly seedSource: Extract<DeclarationOf<z.input<Seed['schema']>>, { readonly seedType: string }>;
}

/** The samplers of a plug-in as another form of `sampler` columns, for the compiler. */
type SamplersAs<Samplers extends readonly AnySampler[]> = ColumnType<
  z.output<SamplerSchema<Samplers>> & ColumnConfig,
  SamplerSchema<Samplers>,
  SampledRow<readonly [...typeof samplers, ...Samplers]>
>;

/** Returns a config builder class that knows the built-in types and those of a plug-in. */
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
