import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Loads the search for contradictions, which only the check of a schema needs. */
export function loadContradictions(): typeof import('@data-designer/json-schema/contradictions') {
  return require('@data-designer/json-schema/contradictions') as typeof import('@data-designer/json-schema/contradictions');
}
