import { z } from 'zod';
import type { ProcessorConfig, ProcessorType } from '@data-designer/core';
import type { Process } from './processors/custom-processor.ts';

/** A processor type seen from outside, where its own config type is not known. */
export type RegisteredProcessor = ProcessorType<never, z.ZodObject>;

/** The fields that every processor has; spread into a processor's own `z.strictObject`. */
export function processorFields<const Type extends string>(type: Type, what: string) {
  return {
    name: z.string().describe('Its name, also that of its output.'),
    processorType: z.literal(type).describe(what),
  };
}

/** A processor type as it is written down, the rows that its function is given typed. */
type WrittenProcessor<Config, Schema, Row> = Omit<ProcessorType<Config, Schema>, 'process'> & {
  readonly process?: (config: Config) => Process<Row>;
};

/** Declares a processor type; its functions receive the parsed declaration, typed by the schema. */
export function defineProcessor<Schema extends z.ZodObject, Row = Record<string, unknown>>(
  processor: WrittenProcessor<z.output<Schema> & ProcessorConfig, Schema, Row>,
): ProcessorType<z.output<Schema> & ProcessorConfig, Schema> {
  return processor;
}
