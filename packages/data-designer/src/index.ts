export {
  DataDesigner,
  type CreateOptions,
  type DataDesignerOptions,
  type Permissions,
  type PreviewDatasetOptions,
  type StopOptions,
} from './data-designer.ts';
export type { AliasCheck } from '@data-designer/engine';
export type { ConfigReport } from './config-report.ts';
export type { Declaration, Declared, RecordOf } from './declaration.ts';
export { DatasetCreationResults } from './dataset-creation-results.ts';
export { PreviewResults } from './preview-results.ts';
export {
  type BuiltInColumns,
  type BuiltInRows,
  DataDesignerConfigBuilder,
  type SamplerValues,
} from './config-builder.ts';
