export { type MessageField, chatColumns, messageFieldsOf, seedChats } from './chats/chat-columns.ts';
export { withoutCorrections } from './chats/without-corrections.ts';
export { type ClusterPaths, clusterPaths } from './cluster/cluster-paths.ts';
export { type CommitRecord, placeFiles, publishCommit, readCommit } from './cluster/commit-record.ts';
export { digits, type Epoch, isSuperseded, isTaken, returnEpoch, takeEpoch } from './cluster/epochs.ts';
export { mergeCommits, removeClusterRun } from './cluster/merge-commits.ts';
export { type RunStage, stageOfRun } from './cluster/run-stage.ts';
export { acceptOffer, endSession, isOffered, offerSession, withdrawOffer } from './cluster/session-offer.ts';
export { holdsDataset, missingDataset } from './missing-dataset.ts';
export { DatasetFolder, openDatasetFolder, takeOverFolder } from './dataset-folder.ts';
export {
  type DatasetPaths,
  type GroupSpan,
  datasetPaths,
  groupsIn,
  nameWithin,
  WORKFLOW_FILE,
} from './dataset-paths.ts';
export { batchOf, chunksOf } from './encode/row-chunks.ts';
export { exportDataset, filesInFormat } from './export/export-dataset.ts';
export { refuseOwnFiles } from './export/refuse-own-files.ts';
export { exportRows, writeText } from './export/export-rows.ts';
export {
  type StagedFile,
  clearAbandoned,
  commit,
  discard,
  discardUnfinished,
  PendingFile,
  replaceFile,
  writeDurably,
} from './files/commit-file.ts';
export { readCheckedFile, writeCheckedFile } from './files/checked-json.ts';
export { checkDatasetName, timeStampedName } from './files/dataset-name.ts';
export { type DatasetMetadata, hasAllGroups, readSelection, type SelectionRecord } from './files/dataset-metadata.ts';
export { type FileStamp, fileStamp, stampOfFiles, stampText } from './files/file-stamp.ts';
export { clusterOfLock, type FolderLock, refuseLocked, sessionOf, takeFolderLock } from './files/folder-lock.ts';
export { configLines, DATA, tableName, writeReadme } from './files/dataset-readme.ts';
export { hashFile } from './files/hash-file.ts';
export { readJsonFile, sortKeys, writeJsonFile } from './files/json-file.ts';
export { lostFile } from './repair/check-images.ts';
export { makeFolder, removeEmptyFolders, removeFolder } from './files/make-folder.ts';
export { moveContent } from './files/move-content.ts';
export { orStorageFailure } from './files/storage-failure.ts';
export { TemporaryFolder } from './files/temporary-folder.ts';
export { UnusedFolder } from './files/unused-folder.ts';
export { type BatchFormat, DEFAULT_FORMAT, type ExportFormat, exportFormatOf } from './formats/formats.ts';
export { storedFields } from './formats/parquet/parquet-fields.ts';
export type { RowBlock } from './formats/dataset-format.ts';
export { failureDamage, FailureLog, type LoggedFailure, readFailures } from './logs/failure-log.ts';
export {
  type PartialGroups,
  markPartial,
  type PartialGroup,
  type RowsAgain,
  clearKeptOrphans,
  markedGroups,
  readPartialGroup,
  readPartialGroups,
  unmarkPartial,
} from './logs/partial-groups.ts';
export { checkedRecord, OpenLineLog } from './logs/line-log.ts';
export { type DecidedRows, type RefusedCandidate, SelectionLog } from './logs/selection-log.ts';
export {
  countFailedCells,
  type LoggedCounts,
  type LoggedUsage,
  type UsageByAlias,
  UsageLog,
} from './logs/usage-log.ts';
export { mergeBatches, mergeSideFiles, settleChecksums } from './merge/merge-batches.ts';
export {
  batchPaths,
  readBatch,
  readDataset,
  readDatasetBlocks,
  readProcessorRows,
  readSideRows,
  readStreams,
  readTable,
  streamsTable,
} from './read-dataset.ts';
export {
  type BatchFile,
  type BatchFolders,
  batchFiles,
  batchName,
  finishMerges,
  spanOf,
} from './formats/batch-files.ts';
export { DatasetRows, type PlacedFile } from './read/dataset-rows.ts';
export { type PlanRow, PlanRows } from './read/plan-rows.ts';
export { type FoundBatches, findBatches } from './read/find-batches.ts';
export { datasetRowsAt, processorRowsAt, streamRowsAt } from './read/rows-at.ts';
export { type CheckedBatch, checkFile } from './repair/check-file.ts';
export { momentText } from './encode/moments.ts';
export { checkImages } from './repair/check-images.ts';
export { ChecksumLog, Checksums, type ImageSum, rejectChanged } from './logs/checksums.ts';
export { logDamages } from './repair/log-damages.ts';
export { missingSides, refuseLostFiles } from './repair/lost-files.ts';
export type { FileSum, SummedFile } from './files/file-sum.ts';
export { damagedFile, orDamaged, RECORD_REMEDY } from './files/damaged-file.ts';
export {
  askAnew,
  beginAgain,
  finishAgain,
  keepLostAnswers,
  keptFiles,
  lostRowsOf,
  refuseChangedKept,
  uselessCells,
  failedForGood,
} from './repair/lost-rows.ts';
export { lostRefused, refusedFolders } from './repair/refused-rows.ts';
export { partFiles, repairFiles, setAside } from './repair/repair-files.ts';
export { finishRewrite, rewriteBatches } from './repair/rewrite-batches.ts';
export {
  type ComparedInputs,
  type FileState,
  type FrozenTools,
  type RunRecord,
  type SourceState,
  type TableRecord,
  hasRunRecord,
  readRunRecord,
  restoreRunRecord,
  RUN_RECORD_VERSION,
} from './run-record.ts';
export {
  type SideTable,
  clearSideOrphans,
  makeSideFolders,
  processorTable,
  sideFiles,
  sideFolders,
  sideTables,
} from './side-tables.ts';
export type { Table as ArrowTable } from 'apache-arrow';
