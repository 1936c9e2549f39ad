import { z } from 'zod';
import type { RegisteredProcessor } from '../define-processor.ts';
import { custom } from '../processors/custom.ts';
import { dropColumns } from '../processors/drop-columns.ts';
import { schemaTransform } from '../processors/schema-transform.ts';

/** A step between the rows and the files, of the built-in ones. */
export const processor = z.discriminatedUnion('processorType', [
  dropColumns.schema,
  schemaTransform.schema,
  custom.schema,
]);

/**
 * A step between the rows and the files, as it was parsed. One of a plug-in has a `processorType` of its own: to the
 * compiler it is one of these, and nothing but name and type is known of it.
 */
export type Processor = z.output<typeof processor>;

/** The schema of a step, with those of plug-ins. */
export function processorWith(further: readonly RegisteredProcessor[]): typeof processor {
  const schemas = [...processor.options, ...further.map(({ schema }) => schema)];
  return z.discriminatedUnion('processorType', schemas as never);
}
