import type { ProcessorConfig, ProcessorType } from '@data-designer/core';
import { z } from 'zod';

/** A processor type seen from outside, where its own config type is not known. */
export type RegisteredProcessor = ProcessorType<never, z.ZodObject>;

/** The fields that every processor has; spread into a processor's own `z.strictObject`. */
export function processorFields<const Type extends string>(type: Type, what: string) {
  return {
    name: z.string().describe('Its name, also that of its output.'),
    processorType: z.literal(type).describe(what),
  };
}

/** Declares a processor type; its functions receive the parsed declaration, typed by the schema. */
export function defineProcessor<Schema extends z.ZodObject>(
  processor: ProcessorType<z.output<Schema> & ProcessorConfig, Schema>,
): ProcessorType<z.output<Schema> & ProcessorConfig, Schema> {
  return processor;
}
