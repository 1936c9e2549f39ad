export * from './plugins.ts';
export type { AliasCheck, LoadOptions, TaskTrace } from '@data-designer/engine';
export {
  defineTool,
  type FunctionToolProvider,
  image,
  type LocalToolProvider,
  type ModuleToolProvider,
  type ServeOptions,
  type ToolContext,
  type ToolDefinition,
  type ToolHints,
  type ToolServer,
} from '@data-designer/mcp';
export type { Review, ReviewVerdict, RowReview, TraceContentPart, TraceMessage, TraceUsage } from '@data-designer/core';
export type { ColumnProfile, DatasetProfile } from '@data-designer/profile';
export type { GivenReview, LoggedFailure, ReviewUse } from '@data-designer/dataset';
export { DataDesigner } from './data-designer.ts';
export type { JoinedRun, JoinedRunEvent, JoinEvent } from '@data-designer/cluster';
export type {
  ClusterSettings,
  CreateOptions,
  DataDesignerOptions,
  JoinRunOptions,
  Permissions,
  PreviewDatasetOptions,
  ResumeMode,
  StopOptions,
  ValidateOptions,
} from './data-designer-options.ts';
export type { DatasetCreation } from './records/dataset-creation.ts';
export type { ConfigReport } from './declaration/config-report.ts';
export type { Declaration, Declared, RecordOf } from './declaration/declaration.ts';
export type {
  GivenProviders,
  LocalStdioMCPProvider,
  MCPProvider,
  ModelConfig,
  ModelProvider,
  RunConfig,
  ToolConfig,
} from './options/given-providers.ts';
export type { ComposedWorkflow } from './workflow/composed-workflow.ts';
export type { CompositeWorkflowResults } from './workflow/composite-workflow-results.ts';
export type { StageRehearsal, WorkflowRehearsal } from './workflow/workflow-rehearsal.ts';
export { loadWorkflow } from './workflow/load-workflow.ts';
export type { StageCounts, StageSummary, WorkflowSummary } from './workflow/workflow-summary.ts';
export type { WorkflowAnalysis } from './report/workflow-analysis.ts';
export type { StageAliasCheck } from './workflow/check-stage-models.ts';
export type { StageReport } from './workflow/check-workflow.ts';
export type { StageSnapshot, WorkflowEvent, WorkflowSnapshot, WorkflowStage } from './workflow/workflow-event.ts';
export type { GroupOptions } from './workflow/inputs/group/group.ts';
export type { InputFinding } from './workflow/inputs/input-kind.ts';
export type { JoinOptions } from './workflow/inputs/join/join-rows.ts';
export type { StageInput, StageOptions, WorkflowRunOptions } from './workflow/stage.ts';
export { serveTools } from './serve-tools.ts';
export { type CleanedCandidates, cleanDataset, type CleanOptions } from './clean-dataset.ts';
export { loadDataset, type LoadDatasetOptions } from './load-dataset.ts';
export { type ViewerCopyOptions, writeViewerCopy } from './view-copy.ts';
export { openViewer, type OpenViewerOptions } from './open-viewer.ts';
export type { Viewer } from '@data-designer/viewer';
export { selectDataset, type SelectDatasetOptions } from './select-dataset.ts';
export { DatasetAnalysis, type ReportOptions } from './report/dataset-analysis.ts';
export type { HubPush, HubPushFile, PushToHubOptions } from './push/push-options.ts';
export { DatasetCreationResults } from './records/dataset-creation-results.ts';
export type { ExportOptions } from './records/export-options.ts';
export type { ModelForecast, Rehearsal, WallBound, WallForecast } from './rehearsal/rehearsal.ts';
export type { RehearsalOptions } from './rehearsal/rehearsal-options.ts';
export type { ConfigBuilderOptions } from './records/seeded-builder.ts';
export type { TracedToolCall } from './records/read-trace.ts';
export { type PreviewExportOptions, PreviewResults } from './records/preview-results.ts';
export type { SampleRecordOptions } from './records/sample-record/record-display.ts';
export {
  type BuiltInColumns,
  type BuiltInRows,
  type ColumnsWith,
  configBuilderWith,
  DataDesignerConfigBuilder,
  type SamplerValues,
} from './config-builder.ts';
// Before what needs a newer Node than this may be: it says so.
import '@data-designer/core';
