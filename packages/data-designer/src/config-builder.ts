import { columnTypes } from '@data-designer/columns';
import {
  bindConfigBuilder,
  type CastValue,
  type ColumnRow,
  type ColumnSetOf,
  type ConfigBuilderClass,
  type DataDesignerConfigBuilder as ConfigBuilder,
  type DrawnSubvalue,
  type DrawnValue,
  type JudgedValue,
  type ModelColumnRow,
  type StructuredValue,
} from '@data-designer/config';

/** What each sampler draws, from the type of its parameters; a sampler that is not here draws `unknown`. */
export interface SamplerValues<Params> {
  category: Params extends { readonly values: infer Values } ? DrawnValue<Values> : unknown;
  subcategory: Params extends { readonly values: infer Values } ? DrawnSubvalue<Values> : unknown;
}

type SampledValue<Config> = Config extends { readonly samplerType: infer Type; readonly params: infer Params }
  ? Type extends keyof SamplerValues<Params>
    ? SamplerValues<Params>[Type]
    : unknown
  : unknown;

/** What each built-in column type writes into a row; the table of your own column types extends it. */
export interface BuiltInRows<Config> {
  sampler: ColumnRow<Config, SampledValue<Config>>;
  expression: ColumnRow<Config, CastValue<Config>>;
  'llm-text': ModelColumnRow<Config, string>;
  'llm-code': ModelColumnRow<Config, string>;
  'llm-structured': ModelColumnRow<
    Config,
    Config extends { readonly outputFormat: infer Format } ? StructuredValue<Format> : never
  >;
  'llm-judge': ModelColumnRow<Config, Config extends { readonly scores: infer Scores } ? JudgedValue<Scores> : never>;
}

/** The built-in column types, for the compiler. */
export interface BuiltInColumns extends ColumnSetOf<typeof columnTypes> {
  readonly rows: BuiltInRows<this['config']>;
}

/** Declares a dataset of the built-in column types, its rows typed by the chain of `addColumn`. */
export const DataDesignerConfigBuilder: ConfigBuilderClass<BuiltInColumns> = bindConfigBuilder(columnTypes);

/** A builder of the built-in column types. */
export type DataDesignerConfigBuilder<Row = unknown> = ConfigBuilder<BuiltInColumns, Row>;
