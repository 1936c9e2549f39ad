import { DataDesignerError, type ProcessorConfig } from '@data-designer/core';
import type { RegisteredProcessor } from '../define-processor.ts';
import { custom } from './custom.ts';
import { dropColumns } from './drop-columns.ts';
import { schemaTransform } from './schema-transform.ts';

const TYPES: ReadonlyMap<string, RegisteredProcessor> = new Map(
  [dropColumns, schemaTransform, custom].map((type) => [type.type, type as RegisteredProcessor]),
);

/** The type of a parsed processor, its functions taking any config: the schema has already said that it fits. */
export function processorOf({ processorType }: ProcessorConfig): RegisteredProcessor {
  const type = TYPES.get(processorType);
  if (!type) throw new DataDesignerError('internal/unexpected', { reason: `no processor type '${processorType}'` });
  return type;
}
