import { copyDeclaration } from '@data-designer/config';
import type { FunctionCell } from '@data-designer/core';
import type { GeneratorFunction } from './generator-function.ts';
import type { OutputFormats } from './output-formats.ts';

/** What a generator is given beside the row, or the rows. */
export interface GeneratorContext {
  /** The column's `generatorParams`; empty where it has none. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The cell of the row; of the first of many. */
  readonly cell: FunctionCell;
  /** The cells of all rows that were given, in their order. */
  readonly cells: readonly FunctionCell[];
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
}

/** What a generator needs and makes; nothing of a list that is not given. */
export interface GeneratorNeeds<Side extends string = string> {
  /** The columns that it reads: a row holds no others. */
  readonly requiredColumns?: readonly string[];
  /** The columns that it writes beside the one that it is declared for. */
  readonly sideEffectColumns?: readonly Side[];
  /** Aliases of the models that it may ask. */
  readonly modelAliases?: readonly string[];
  /** Aliases of the tools that these may call. */
  readonly toolAliases?: readonly string[];
  /**
   * What the values of its columns keep, by name: a schema of zod or another library, or a JSON Schema. They are stored by
   * it; a column that is not named holds any plain data, as JSON text.
   */
  readonly outputFormats?: Readonly<Record<string, object>>;
}

/** A generator that knows what it gives: one object, or as many as it was given rows. */
export type CustomGenerator<Result, Side extends string = string, Row = never> = GeneratorFunction<Side> &
  ((row: Row, context: GeneratorContext) => Promise<Result>);

/**
 * Makes the function of a `custom` column. `generate` is given a row with the columns that it requires, and gives an object
 * with the column's value under its name, and that of each side effect; with `generationStrategy: 'full_column'` it is
 * given the rows of a row group, and gives as many objects. Values are plain data. What it gives may depend only on its
 * row, and on what it asks of its cell: a run that goes on asks the same again. It runs on the thread of the calling
 * program; one made by `functionOfModule` runs in the workers. Throws `config/invalid` for an output format without a JSON
 * Schema.
 */
export function customColumn<Result, Row = Record<string, unknown>, const Side extends string = never>({
  generate,
  requiredColumns = [],
  sideEffectColumns = [],
  modelAliases = [],
  toolAliases = [],
  outputFormats: declared = {},
}: GeneratorNeeds<Side> & {
  readonly generate: (row: Row, context: GeneratorContext) => Result | Promise<Result>;
}): CustomGenerator<Result, Side, Row> {
  const { module, export: name } = generate as typeof generate & { readonly module?: string; readonly export?: string };
  const run = async (row: Row, context: GeneratorContext): Promise<Result> => generate(row, context);
  const outputFormats = copyDeclaration(declared, { path: 'outputFormats', source: 'customColumn' }) as OutputFormats;
  const needs = { requiredColumns, sideEffectColumns, modelAliases, toolAliases, outputFormats };
  const from = module === undefined ? {} : { module, export: name };
  return Object.assign(Object.defineProperty(run, 'name', { value: generate.name }), { ...needs, ...from });
}
