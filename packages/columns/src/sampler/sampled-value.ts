import type { RowWith } from '@data-designer/config';
import type { AppliedType, TypeFunction, ValueType } from '@data-designer/core';
import type { Conversion, AnySampler } from '../define-sampler.ts';

/** The samplers of a list by name: the type of their values, and what `convertTo` does with them. */
type SamplerTable<Samplers extends readonly AnySampler[]> = {
  [Sampler in Samplers[number] as NameOf<Sampler>]: {
    readonly value: Sampler extends { readonly value?: ValueType<infer Value> } ? Value : unknown;
    readonly converts: Sampler extends { readonly converts: infer Converts } ? Converts : Conversion;
  };
};

type NameOf<Sampler extends AnySampler> = Sampler['schema'] extends {
  readonly _zod: { readonly output: { readonly samplerType: infer Name extends string } };
}
  ? Name
  : never;

/** The value of each sampler of a list, from the type of its parameters. */
export type ValuesOf<Samplers extends readonly AnySampler[], Params> = {
  [Name in keyof SamplerTable<Samplers>]: SamplerTable<Samplers>[Name] extends { readonly value: infer Value }
    ? AppliedType<Value, Params>
    : never;
};

/** The record of a column that draws from one of these samplers. */
export type SampledRow<Samplers extends readonly AnySampler[]> = RowWith<SampledValue<Samplers>>;

interface SampledValue<Samplers extends readonly AnySampler[]> extends TypeFunction {
  readonly type: ValueIn<SamplerTable<Samplers>, this['config']>;
}

type ValueIn<Table, Config> = Config extends {
  readonly samplerType: infer Name extends keyof Table;
  readonly params: infer Params;
}
  ? Table[Name] extends { readonly value: infer Value; readonly converts: infer Converts }
    ? Converted<Config, Converts, Conditioned<Config, AppliedType<Value, Params>>>
    : unknown
  : unknown;

/** Conditional parameters may draw other values: only their kind is known. */
type Conditioned<Config, Value> = Config extends { readonly conditionalParams: infer Conditions }
  ? [keyof Conditions] extends [never]
    ? Value
    : Widened<Value>
  : Value;

type Widened<Value> = Value extends string ? string : Value extends number ? number : Value;

type Converted<Config, Converts, Value> = [Converts] extends ['number']
  ? Config extends { readonly convertTo: infer To }
    ? To extends 'int' | 'float'
      ? number
      : To extends 'str'
        ? string
        : Value
    : Value
  : Value;
