export type { BenchmarkReport, CheckReport } from './check/check-dataset.ts';
export type { TrajectoryReport } from './check/check-trajectories.ts';
export { cleanDataset, type CleanedCandidates, type CleanOptions } from './clean-dataset.ts';
export { loadDataset, type LoadDatasetOptions } from './load-dataset.ts';
export { openViewer, type OpenViewerOptions } from './open-viewer.ts';
export type { HubPush, HubPushFile, PushToHubOptions } from './push/push-options.ts';
export { DatasetCreationResults, writeExports } from './records/dataset-creation-results.ts';
export { datasetCreation, type DatasetCreation } from './records/dataset-creation.ts';
export {
  CONVERSATION_FORMATS,
  type ConversationFormat,
  exportClash,
  type ExportOptions,
  usesReviews,
} from './records/export-options.ts';
export type { MadeRecords } from './records/made-records.ts';
export { type PreviewExportOptions, PreviewResults } from './records/preview-results.ts';
export type { TracedToolCall } from './records/read-trace.ts';
export type { RecordDisplay, SampleRecordOptions } from './records/sample-record/record-display.ts';
export type { ConfigBuilderOptions } from './records/seeded-builder.ts';
export { DatasetAnalysis, REPORT_RULES, type ReportOptions } from './report/dataset-analysis.ts';
export { type ReportSections, resolveSections } from './report/report-sections.ts';
export { selectDataset, type SelectDatasetOptions } from './select-dataset.ts';
export { privatePartsOf, type ViewerCopyOptions, writeViewerCopy } from './view-copy.ts';
export type { StageCounts, StageSummary, WorkflowSummary } from './report/workflow-summary.ts';
export { stageTable } from './report/stage-tables.ts';
