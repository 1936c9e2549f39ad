export * from './plugins.ts';
export type { AliasCheck, AttemptFigures, LoadOptions, TaskTrace, UnverifiedRows } from '@data-designer/engine';
export {
  type CodeEnvironment,
  defineEnvironment,
  type EnvironmentContext,
  type EnvironmentDefinition,
  environmentOfModule,
  type EnvironmentRow,
  type EnvironmentToolDefinition,
} from '@data-designer/environments';
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
export type {
  ExhaustedRows,
  Review,
  ReviewVerdict,
  RowReview,
  TraceContentPart,
  Message,
  TraceUsage,
} from '@data-designer/core';
export type { ConversationEnd, MadeUpPerson } from '@data-designer/columns';
export type { ColumnProfile, DatasetProfile } from '@data-designer/profile';
export type { LoggedFailure } from '@data-designer/dataset';
export type { GivenReview, ReviewUse } from '@data-designer/dataset/reviews';
export { DataDesigner, serveTools } from '@data-designer/designer';
export type { ExportedFile, ExportedTraining, TrainingFormatName } from '@data-designer/training/options';
export type { JoinedRun, JoinedRunEvent, JoinEvent } from '@data-designer/cluster';
export {
  type BuiltInColumns,
  type BuiltInRows,
  type ClusterSettings,
  type ColumnsWith,
  configBuilderWith,
  type AttemptBounds,
  type ConfigReport,
  type CreateOptions,
  DataDesignerConfigBuilder,
  type DataDesignerOptions,
  type Declaration,
  type Declared,
  type GivenProviders,
  type JoinRunOptions,
  type LocalStdioMCPProvider,
  type MCPProvider,
  type ModelConfig,
  type ModelProvider,
  type Permissions,
  type PreviewDatasetOptions,
  type RecordOf,
  type ResumeMode,
  type RunConfig,
  type SamplerValues,
  type StopOptions,
  type ToolConfig,
  type ValidateOptions,
} from '@data-designer/declaration';
export {
  cleanDataset,
  type CleanedCandidates,
  type CleanOptions,
  type ConfigBuilderOptions,
  DatasetAnalysis,
  type DatasetCreation,
  DatasetCreationResults,
  type ExportOptions,
  type HubPush,
  type HubPushFile,
  loadDataset,
  type LoadDatasetOptions,
  openViewer,
  type OpenViewerOptions,
  type PreviewExportOptions,
  PreviewResults,
  type PushToHubOptions,
  type ReportOptions,
  type SampleRecordOptions,
  selectDataset,
  type SelectDatasetOptions,
  type StageCounts,
  type StageSummary,
  type TracedToolCall,
  type ViewerCopyOptions,
  type WorkflowSummary,
  writeViewerCopy,
} from '@data-designer/results';
export {
  type ComposedWorkflow,
  type CompositeWorkflowResults,
  type GroupOptions,
  type InputFinding,
  type JoinOptions,
  loadWorkflow,
  type StageAliasCheck,
  type StageInput,
  type StageOptions,
  type StageRehearsal,
  type StageReport,
  type StageSnapshot,
  type WorkflowAnalysis,
  type WorkflowEvent,
  type WorkflowRehearsal,
  type WorkflowRunOptions,
  type WorkflowSnapshot,
  type WorkflowStage,
} from '@data-designer/workflow';
export type { Viewer } from '@data-designer/viewer';
export type {
  AttemptForecast,
  ModelForecast,
  Rehearsal,
  RehearsalOptions,
  WallBound,
  WallForecast,
} from '@data-designer/rehearsal';
// Before what needs a newer Node than this may be: it says so.
import '@data-designer/core';
