import type { ProcessorConfig, ProcessorStage, ProcessorType } from '@data-designer/core';
import { z } from 'zod';

/** A processor type of any config. */
export type RegisteredProcessor = ProcessorType<never, z.ZodObject>;

/** Returns the keys that every processor has. Spread them into the `z.strictObject` of a processor type. */
export function processorFields<const Type extends string>(type: Type, what: string) {
  return {
    name: z.string().describe('Name of the processor, and of the side table that it writes.'),
    processorType: z.literal(type).describe(what),
    columnsAdded: columnNames.describe('The columns that its function adds, for values of any type.'),
    columnsRemoved: columnNames.describe(
      'The columns that its function receives, and that the dataset does not have; `*` in a name stands for any text.',
    ),
  };
}

/** The keys of a processor that declares its columns otherwise. The lists may be there, as NeMo Data Designer 0.10 writes them. */
export function fixedProcessorFields<const Type extends string>(type: Type, what: string) {
  const { name, processorType } = processorFields(type, what);
  return { name, processorType, columnsAdded: noNames, columnsRemoved: noNames };
}

/** An empty list is left out, so that the fingerprints of declarations without it stay the same. */
const columnNames = z
  .array(z.string())
  .transform((names) => (names.length > 0 ? names : undefined))
  .exactOptional();

const noNames = z
  .array(z.string())
  .max(0, { error: 'only processors that run a function add or remove columns; the list must be empty' })
  .transform(() => undefined)
  .exactOptional()
  .describe('Must be empty: only processors of plug-ins may list columns here.');

/** The second argument of a processor's function. */
export interface ProcessContext {
  /** The name of the processor. */
  readonly processor: string;
  /** The stage at which it runs. */
  readonly stage: ProcessorStage;
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal;
}

/** A function that receives rows and returns rows: with the same columns, unless its declaration adds or removes some. */
export type Process<Row, Made = Row> = (
  rows: readonly Row[],
  context: ProcessContext,
) => readonly Made[] | Promise<readonly Made[]>;

/** A processor type before its rows are erased. */
type WrittenProcessor<Config, Schema, Row> = Omit<ProcessorType<Config, Schema>, 'process'> & {
  readonly process?: (config: Config) => Process<Row>;
};

/** Declares a processor type; its functions receive the parsed declaration, typed by the schema. */
export function defineProcessor<Schema extends z.ZodObject, Row = Record<string, unknown>>(
  processor: WrittenProcessor<z.output<Schema> & ProcessorConfig, Schema, Row>,
): ProcessorType<z.output<Schema> & ProcessorConfig, Schema> {
  return processor;
}
