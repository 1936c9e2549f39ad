export type { EngineName } from './engine-names.ts';
export { type Check, type Ran, type Run, type RunFailure, type RunLimits } from './run.ts';
export { execute } from './sandboxes.ts';
