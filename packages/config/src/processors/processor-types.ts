import { z } from 'zod';
import type { RegisteredProcessor } from '../define-processor.ts';
import { extendUnion } from '../extend-union.ts';
import { custom } from './custom.ts';
import { dropColumns } from './drop-columns.ts';
import { schemaTransform } from './schema-transform.ts';

const [first, ...others] = [dropColumns, schemaTransform, custom] as const;

/** The built-in processors. */
export const processorTypes: readonly RegisteredProcessor[] = [first, ...others];

/** The schema of the built-in processors. */
export const processor = z.discriminatedUnion('processorType', [first.schema, ...others.map(({ schema }) => schema)]);

/** A parsed processor. That of a plug-in has this type too; only its name and type are known. */
export type Processor = z.output<typeof processor>;

/** The schema of processors, with those of plug-ins. */
export function processorWith(further: readonly RegisteredProcessor[]): typeof processor {
  return extendUnion(processor, further);
}
