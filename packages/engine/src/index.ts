export type { Table as ArrowTable } from 'apache-arrow';
export { compile, type CompileOptions } from './compile/compile.ts';
export { chatLines, type ExportChatsOptions, exportChats } from './chats/export-chats.ts';
export { processorPlace } from './compile/plan-processors.ts';
export { type ExportFormat, exportFormatOf, exportRecords, recordLines, writeText } from './export-records.ts';
export { exportRows, exportTable } from './export-table.ts';
export { LiveRecords } from './live-records.ts';
export { type LoadOptions, loadRun } from './load-dataset.ts';
export { type LoggedFailure, readFailures } from './read-failures.ts';
export { discardUnderWay } from './store/commit-file.ts';
export type { BatchFormat } from './store/dataset-paths.ts';
export { type EndSettings, endOf, type RunEnd } from './ending/run-ending.ts';
export { WorkerPool } from './executor/worker-pool.ts';
export { Journal } from './gateway/journal.ts';
export { readJournal } from './store/journal-segments.ts';
export { GatewayHost } from './gateway/gateway-host.ts';
export type { Functions } from './functions/functions.ts';
export { functionsIn, withHandles } from './functions/plan-functions.ts';
export { PortGateway } from './gateway/port-gateway.ts';
export { inspectHubSeed } from './seed/inspect-hub.ts';
export { inspectSeed } from './seed/inspect-seed.ts';
export { processorFunctions } from './functions/processor-functions.ts';
export { inspectPluginSeed } from './seed/plugin-seed.ts';
export { type PriorSeed, priorSeed } from './seed/prior-seed.ts';
export { RowSpools } from './seed/row-spools.ts';
export { seedSource } from './seed/seed-source.ts';
export type { ModelServer } from './model-server.ts';
export { preparePlan } from './row-group/prepare-plan.ts';
export { runRowGroup } from './row-group/run-row-group.ts';
export { encodeBatch } from './store/encode-batch.ts';
export type { ModelProgress, ProgressSnapshot } from './progress/progress-snapshot.ts';
export { analyseDataset, type AnalyseOptions, analysePreview } from './profile/analyse.ts';
export { percentOf } from './profile/column-statistics.ts';
export {
  type Calculated,
  type CategoryProfile,
  type ColumnProfile,
  type DatasetProfile,
  type Figure,
  type Histogram,
  NOT_CALCULATED,
  type NumberProfile,
  type ScoreProfile,
  type TokenProfile,
} from './profile/dataset-profile.ts';
export { preview, type PreviewResult } from './preview.ts';
export { type AliasCheck, checkAliases } from './readiness/check-aliases.ts';
export { readDataset, readProcessorRows, readStreams, readTable, streamsTable } from './read-dataset.ts';
export type { ProbeOptions } from './readiness/through-gateway.ts';
export { readMedia } from './row-group/read-media.ts';
export { datasetRowsAt, processorRowsAt, streamRowsAt } from './rows-at.ts';
export { resumeIfPossible } from './resume-if-possible.ts';
export { run, type RunResult } from './run.ts';
export type { PreviewOptions, RunOptions } from './run-options.ts';
export { spentOn } from './spent-on.ts';
export { answerFlaws } from './answer-flaws.ts';
export type { RunEvent } from './run-event.ts';
export type { RunSummary } from './run-summary.ts';
export type { RowStretch } from './store/row-stretch.ts';
export { processorTable } from './store/side-tables.ts';
export { stoppable } from './stoppable.ts';
export { inspectCollection } from './tables/inspect-collection.ts';
export type { TableSource } from './tables/table-source.ts';
export { TemporaryFolder } from './tables/temporary-folder.ts';
