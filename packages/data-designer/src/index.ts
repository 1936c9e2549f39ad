// Before what needs a newer Node than this may be: it says so.
import '@data-designer/core';

export { DataDesigner } from './data-designer.ts';
export type {
  CreateOptions,
  DataDesignerOptions,
  Permissions,
  PreviewDatasetOptions,
  ResumeMode,
  StopOptions,
} from './data-designer-options.ts';
export type { DatasetCreation } from './dataset-creation.ts';
export {
  customColumn,
  definePlugin,
  defineSampler,
  type Plugin,
  type CustomGenerator,
  type GeneratorContext,
  type GeneratorNeeds,
} from '@data-designer/columns';
export {
  customProcessor,
  defineProcessor,
  defineSeed,
  type Process,
  type ProcessContext,
  processorFields,
  type SeedContext,
  seedFields,
} from '@data-designer/config';
export { functionOfModule, type FunctionCell, type FunctionQuestion, ParseFailure } from '@data-designer/core';
export type { AliasCheck } from '@data-designer/engine';
export type { ConfigReport } from './config-report.ts';
export type { Declaration, Declared, RecordOf } from './declaration.ts';
export type { GivenProviders } from './given-providers.ts';
export {
  defineTool,
  type FunctionToolProvider,
  image,
  type LocalToolProvider,
  type ModuleToolProvider,
  type ServeOptions,
  serveTools,
  type ToolHints,
  type ToolServer,
  type ToolContext,
  type ToolDefinition,
} from '@data-designer/mcp';
export { loadDataset, type LoadDatasetOptions } from './load-dataset.ts';
export type { ColumnProfile, DatasetProfile, LoadOptions, LoggedFailure } from '@data-designer/engine';
export { DatasetAnalysis, type ReportOptions } from './report/dataset-analysis.ts';
export { DatasetCreationResults, type ExportOptions } from './dataset-creation-results.ts';
export type { ModelForecast, Rehearsal, WallBound, WallForecast } from './rehearsal/rehearsal.ts';
export type { RehearsalOptions } from './rehearsal/rehearsal-options.ts';
export type { TracedToolCall } from './traces.ts';
export { type PreviewExportOptions, PreviewResults } from './preview-results.ts';
export type { SampleRecordOptions } from './sample-record/record-display.ts';
export {
  type BuiltInColumns,
  type BuiltInRows,
  type ColumnsWith,
  configBuilderWith,
  DataDesignerConfigBuilder,
  type SamplerValues,
} from './config-builder.ts';
export { columnFields, type ColumnRow, defineColumn } from '@data-designer/config';
export { type Cell, DataDesignerError, field, type Random } from '@data-designer/core';
