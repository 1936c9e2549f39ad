import { z } from 'zod';
import { custom } from '../processors/custom.ts';
import { dropColumns } from '../processors/drop-columns.ts';
import { schemaTransform } from '../processors/schema-transform.ts';

/** A step between the rows and the files. */
export const processor = z.discriminatedUnion('processorType', [
  dropColumns.schema,
  schemaTransform.schema,
  custom.schema,
]);

export type Processor = z.output<typeof processor>;
