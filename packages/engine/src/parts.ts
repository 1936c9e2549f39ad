// The parts of a run, for the package that spreads runs over machines.
export { connect } from './connect/connect.ts';
export { completeDataset } from './commit/complete-dataset.ts';
export { finishDataset } from './commit/finish-dataset.ts';
export { filesIn, groupFiles, mayPass } from './commit/group-files.ts';
export { type EndSettings, endOf, GRACE_MS, type RunEnd, RunEnding } from './endings/run-ending.ts';
export type { Executor, GroupChannels } from './executor/executor.ts';
export { openExecutor } from './executor/open-executor.ts';
export type { RunMachines, SelectionSession, SharedRun, WorkflowSession } from './machines/run-machines.ts';
export type { MachineReport, SeenMachine } from './progress/progress-snapshot.ts';
export { RunProgress } from './progress/run-progress.ts';
export { journalRecovery } from './resume/group-recovery.ts';
export { resumedGroup } from './resume/journaled-answers.ts';
export type { GroupProgress } from './row-group/group-progress.ts';
export type { RowGroupResult } from './row-group/row-group-result.ts';
export type { PreviewOptions } from './preview-options.ts';
export type { RunOptions } from './run-options.ts';
export { RunSummary, type SummaryState } from './run-summary.ts';
export { type TakenRun, takeGroups } from './take-groups.ts';
