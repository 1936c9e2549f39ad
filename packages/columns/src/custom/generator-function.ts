import { isMapping } from '@data-designer/config';
import type { OutputFormats } from './output-formats.ts';

const LISTS = ['requiredColumns', 'sideEffectColumns', 'modelAliases'] as const;

/** A function of the calling program that makes cells, with properties that say what it needs and what it makes. */
export interface GeneratorFunction<Side extends string = string> {
  (...given: never): unknown;
  /** The columns that it reads. */
  readonly requiredColumns: readonly string[];
  /** The columns that it writes beside the one that it is declared for. */
  readonly sideEffectColumns: readonly Side[];
  /** Aliases of the models that it asks. */
  readonly modelAliases: readonly string[];
  /** Aliases of the tools that these may call; none unless given. */
  readonly toolAliases?: readonly string[];
  /** What the values of its columns keep, and are stored by; any plain data, as JSON text, where a column is not named. */
  readonly outputFormats?: OutputFormats;
}

/** What is wrong with a value as a generator function, undefined for one that is right. */
export function mistakeInGenerator(value: unknown): string | undefined {
  if (typeof value !== 'function') return 'it must be a function of the calling program: a file cannot name one';
  const declared = value as Partial<GeneratorFunction>;
  const missing = LISTS.find((list) => !isListOfNames(declared[list]));
  if (missing !== undefined) return `the function must have the property ${missing}, a list of names`;
  const { outputFormats = {} } = declared;
  if (isMapping(outputFormats) && Object.values(outputFormats).every(isMapping)) return undefined;
  return 'the property outputFormats of the function must give JSON Schemas by the names of columns';
}

function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}
