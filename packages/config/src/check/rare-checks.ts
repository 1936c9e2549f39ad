// What few configs have: `loadRareChecks` loads this module for those alone.
export { checkAttempts } from './check-attempts.ts';
export { checkEnvironments } from './check-environments.ts';
export { checkSelect } from './check-select.ts';
export { checkToolNames } from './check-tool-names.ts';
