import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Loads the remedies on the first mistake: a run without mistakes starts without them. */
export function loadRemedies(): typeof import('./remedies.ts') {
  return require('@data-designer/config/remedies') as typeof import('./remedies.ts');
}

/** Loads the checks of attempts and environments for a config that has any. */
export function loadRareChecks(): typeof import('./check/rare-checks.ts') {
  return require('@data-designer/config/rare-checks') as typeof import('./check/rare-checks.ts');
}
