import { relative } from 'node:path';
import type { Plan } from '@data-designer/core';
import { rowsIn, type RunRecord } from './prior-run.ts';
import type { RunSummary } from './run-summary.ts';
import type { DatasetFolder } from './store/dataset-folder.ts';
import { writeJsonFile } from './store/json-file.ts';

/** Writes what a later resume must find the same: the declaration, and in `run.json` plan, format and tools. */
export async function recordStart(
  folder: DatasetFolder,
  run: Omit<RunRecord, 'version'>,
  document: unknown,
): Promise<void> {
  await writeJsonFile(folder.paths.builderConfig, document);
  await folder.writeRun({ version: 1, ...run } satisfies RunRecord);
}

/** Brings `metadata.json` up to date after a commit. */
export async function recordProgress(
  folder: DatasetFolder,
  { plan, summary }: { plan: Plan; summary: RunSummary },
): Promise<void> {
  const files = [...(await folder.batches()).values()].map((file) => relative(folder.path, file));
  await folder.updateMetadata({
    dataset_name: folder.name,
    target_num_records: rowsIn(plan.segments),
    original_target_num_records: plan.segments[0]?.rows ?? 0,
    actual_num_records: summary.rows,
    total_num_batches: files.length,
    num_completed_batches: files.length,
    buffer_size: plan.segments[0]?.groupSize ?? 0,
    file_paths: { 'parquet-files': files, 'processor-files': {} },
    config_hash: plan.fingerprint,
    config_hash_algo: 'sha256',
    config_hash_version: 2,
    preserve_dropped_columns: true,
  });
}
