import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Loads the remedies on the first mistake: a run without mistakes starts without them. */
export function loadRemedies(): typeof import('./remedies.ts') {
  return require('@data-designer/config/remedies') as typeof import('./remedies.ts');
}
