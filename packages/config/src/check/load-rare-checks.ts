import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Loads the checks of attempts, environments, selections and names of tools for a config that has any. */
export function loadRareChecks(): typeof import('./rare-checks.ts') {
  return require('@data-designer/config/rare-checks') as typeof import('./rare-checks.ts');
}
