import { checkOptions, copyDeclaration, optionRule, type OptionRules } from '@data-designer/config';
import type { FunctionCell } from '@data-designer/core';
import type { GeneratorFunction } from './generator-function.ts';
import type { OutputFormats } from './output-formats.ts';

/** The second argument of a generator. */
export interface GeneratorContext {
  /** The column's `generatorParams`; empty by default. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The cell of the row; with several rows, of the first. */
  readonly cell: FunctionCell;
  /** The cells of all given rows, in order. */
  readonly cells: readonly FunctionCell[];
  /** Aborted once nobody waits for the result. */
  readonly signal: AbortSignal;
}

/** The declared inputs and outputs of a generator; all lists are empty by default. */
export interface GeneratorNeeds<Side extends string = string, Tool extends string = string> {
  /** The columns that it reads; its rows contain no others. */
  readonly requiredColumns?: readonly string[];
  /** Further columns that it writes. */
  readonly sideEffectColumns?: readonly Side[];
  /** Aliases of the models that it may call. */
  readonly modelAliases?: readonly string[];
  /** Aliases of the tools that these models may call. */
  readonly toolAliases?: readonly Tool[];
  /**
   * By column: a zod (or Standard Schema) schema or a JSON Schema that its values must match and that sets its Arrow
   * type; a column without one holds any plain data as JSON text.
   */
  readonly outputFormats?: Readonly<Record<string, object>>;
}

const { callback, list, mapping } = optionRule;
const RULES: OptionRules<GeneratorNeeds & { readonly generate: unknown }> = {
  generate: { ...callback, required: true },
  requiredColumns: list,
  sideEffectColumns: list,
  modelAliases: list,
  toolAliases: list,
  outputFormats: mapping,
};

/** A generator typed by its result: one object per row, or a list of them. */
export type CustomGenerator<Result, Side extends string = string, Row = never, Tool extends string = never> = Omit<
  GeneratorFunction<Side>,
  'toolAliases'
> & { readonly toolAliases: readonly Tool[] } & ((row: Row, context: GeneratorContext) => Promise<Result>);

/**
 * Declares the function of a `custom` column. `generate` receives a row with the required columns and returns an object
 * with the column's value and those of its side effects; with `generationStrategy: 'full_column'` it receives the rows
 * of a row group and returns as many objects. Values are plain data and may depend only on the row and on answers
 * through its cell, because a resumed run repeats the same calls. It runs on the calling thread; functions of
 * `functionOfModule` run in the workers. Throws `config/invalid` for an invalid option, and for an output format without a JSON
 * Schema.
 */
export function customColumn<
  Result,
  Row = Record<string, unknown>,
  const Side extends string = never,
  const Tool extends string = never,
>(
  options: GeneratorNeeds<Side, Tool> & {
    readonly generate: (row: Row, context: GeneratorContext) => Result | Promise<Result>;
  },
): CustomGenerator<Result, Side, Row, Tool> {
  checkOptions(options, RULES, 'customColumn()');
  const { generate, requiredColumns = [], sideEffectColumns = [], modelAliases = [], toolAliases = [] } = options;
  const { outputFormats: declared = {} } = options;
  const { module, export: name } = generate as typeof generate & { readonly module?: string; readonly export?: string };
  const run = async (row: Row, context: GeneratorContext): Promise<Result> => generate(row, context);
  const outputFormats = copyDeclaration(declared, { path: 'outputFormats', source: 'customColumn' }) as OutputFormats;
  const needs = { requiredColumns, sideEffectColumns, modelAliases, toolAliases, outputFormats };
  const from = module === undefined ? {} : { module, export: name };
  return Object.assign(Object.defineProperty(run, 'name', { value: generate.name }), { ...needs, ...from });
}
