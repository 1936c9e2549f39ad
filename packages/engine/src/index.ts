export type { Table as ArrowTable } from 'apache-arrow';
export { compile, type CompileOptions } from './compile/compile.ts';
export { type ExportFormat, exportFormatOf, exportRecords } from './export-records.ts';
export type { ModelServer } from './model-server.ts';
export { preview, type PreviewOptions, type PreviewResult } from './preview.ts';
export { readDataset, readStreams, readTable, streamsTable } from './read-dataset.ts';
export { run, type RunOptions, type RunResult } from './run.ts';
export type { RunEvent } from './run-event.ts';
export type { RunSummary } from './run-summary.ts';
