import { z } from 'zod';
import { columnFields, defineColumn, type ColumnRow, type StateRow } from '@data-designer/config';
import { type TypeFunction, valueType } from '@data-designer/core';
import { type GeneratorFunction, mistakeInGenerator } from './generator-function.ts';
import { makeCustom } from './make-custom.ts';
import { checkFormats, fieldOf } from './output-formats.ts';

/** The result of the generator function for one row. */
type GeneratedBy<Config> = Config extends { readonly generatorFunction: (...given: never) => infer Given }
  ? Config extends { readonly generationStrategy: 'full_column' }
    ? Awaited<Given> extends readonly (infer One)[]
      ? One
      : unknown
    : Awaited<Given>
  : unknown;

type SideEffectsOf<Config> = Config extends {
  readonly generatorFunction: { readonly sideEffectColumns: readonly (infer Side)[] };
}
  ? Extract<Side, string>
  : never;

type RowGeneratedBy<Config> = ColumnRow<
  Config,
  Config extends { readonly name: infer Name extends keyof GeneratedBy<Config> } ? GeneratedBy<Config>[Name] : unknown
> & {
  [Name in SideEffectsOf<Config>]: Name extends keyof GeneratedBy<Config> ? GeneratedBy<Config>[Name] : unknown;
} & StateRow<Config, UsesTools<Config>>;

type UsesTools<Config> = Config extends {
  readonly generatorFunction: { readonly toolAliases?: readonly (infer Tool)[] };
}
  ? [Tool] extends [never]
    ? false
    : true
  : false;

export interface CustomRow extends TypeFunction {
  readonly type: RowGeneratedBy<this['config']>;
}

/** Cells made by a function of the calling program, which declares its inputs and outputs. */
export const custom = defineColumn({
  type: 'custom',
  schema: z
    .strictObject({
      ...columnFields('custom'),
      generatorFunction: z
        .custom<GeneratorFunction>((value) => mistakeInGenerator(value) === undefined, {
          error: ({ input }) => mistakeInGenerator(input) ?? '',
        })
        .describe('A function made with `customColumn` of the TypeScript API. A YAML or JSON file cannot name one.'),
      generationStrategy: z
        .enum(['cell_by_cell', 'full_column'])
        .default('cell_by_cell')
        .describe('Whether to call the function once for each row, or once for all rows of a row group.'),
      generatorParams: z
        .record(z.string(), z.unknown())
        .nullable()
        .default(null)
        .describe('Values that the function receives as `context.params` in every call.'),
    })
    .describe('Calls a function of the TypeScript program.'),
  row: valueType<CustomRow>(),
  reads: ({ generatorFunction }) =>
    generatorFunction.requiredColumns.map((name) => ({ name, field: ['generatorFunction'] })),
  writes: ({ name, generatorFunction: { sideEffectColumns, outputFormats = {} } }) =>
    [name, ...sideEffectColumns].map((written) => fieldOf(written, outputFormats)),
  check: ({ name, skip, generatorFunction: { sideEffectColumns, outputFormats: formats = {} } }) =>
    checkFormats({ name, skip, written: [name, ...sideEffectColumns], formats }),
  requires: ({ generatorFunction: { modelAliases, toolAliases = [] } }) => ({
    models: modelAliases,
    tools: toolAliases,
    recordsOutcomes: true,
  }),
  made: makeCustom,
});
