// What few configs have: `loadRareChecks` loads this module for those alone.
export { checkAttempts } from './check-attempts.ts';
export { checkEnvironments } from './check-environments.ts';
