import { isMapping } from '@data-designer/config';
import type { OutputFormats } from './output-formats.ts';

const LISTS = ['requiredColumns', 'sideEffectColumns', 'modelAliases'] as const;

/** A function of the calling program that makes cells, with its declared inputs and outputs as properties. */
export interface GeneratorFunction<Side extends string = string> {
  (...given: never): unknown;
  /** The columns that it reads. */
  readonly requiredColumns: readonly string[];
  /** Further columns that it writes. */
  readonly sideEffectColumns: readonly Side[];
  /** Aliases of the models that it calls. */
  readonly modelAliases: readonly string[];
  /** Aliases of the tools that these models may call; none by default. */
  readonly toolAliases?: readonly string[];
  /** The formats of its columns; a column without one holds any plain data as JSON text. */
  readonly outputFormats?: OutputFormats;
}

/** Describes why a value is no generator function; undefined if it is one. */
export function mistakeInGenerator(value: unknown): string | undefined {
  if (typeof value !== 'function')
    return 'expected a function; only a TypeScript or JavaScript program can provide one';
  const declared = value as Partial<GeneratorFunction>;
  const missing = LISTS.find((list) => !isListOfNames(declared[list]));
  if (missing !== undefined)
    return `the function must have the property ${missing}, a list of names; wrap it: customColumn({ requiredColumns: ['a column that it reads'], generate: … })`;
  const { outputFormats = {} } = declared;
  if (isMapping(outputFormats) && Object.values(outputFormats).every(isMapping)) return undefined;
  return 'the property outputFormats of the function must map column names to JSON Schemas';
}

function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}
