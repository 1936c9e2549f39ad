export { compile, type CompileOptions } from './compile/compile.ts';
export type { ModelServer } from './model-server.ts';
export { run, type RunOptions, type RunResult } from './run.ts';
export type { RunEvent } from './run-event.ts';
export type { RunSummary } from './run-summary.ts';
export { readDataset } from './read-dataset.ts';
