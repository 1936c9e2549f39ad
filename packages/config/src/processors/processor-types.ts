import type { RegisteredProcessor } from '../define-processor.ts';
import { custom } from './custom.ts';
import { dropColumns } from './drop-columns.ts';
import { schemaTransform } from './schema-transform.ts';

/** The built-in processors: one line each. */
export const processorTypes: readonly RegisteredProcessor[] = [
  dropColumns,
  schemaTransform,
  custom,
] as readonly unknown[] as readonly RegisteredProcessor[];
