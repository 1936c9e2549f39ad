import type { Plan, ToolSchema } from '@data-designer/core';
import { relative } from 'node:path';
import type { DatasetFolder } from './store/dataset-folder.ts';
import { writeJsonFile } from './store/json-file.ts';
import type { RunSummary } from './run-summary.ts';

/** Writes what a later resume must find the same: the declaration, and in `run.json` the plan and the tools as listed. */
export async function recordStart(
  folder: DatasetFolder,
  { plan, tools, document }: { plan: Plan; tools: Readonly<Record<string, readonly ToolSchema[]>>; document: unknown },
): Promise<void> {
  await writeJsonFile(folder.paths.builderConfig, document);
  await folder.writeRun({
    version: 1,
    seed: plan.seed,
    fingerprint: plan.fingerprint,
    segments: plan.segments,
    tools,
    plan,
  });
}

/** Brings `metadata.json` up to date after a commit. */
export async function recordProgress(
  folder: DatasetFolder,
  { plan, summary }: { plan: Plan; summary: RunSummary },
): Promise<void> {
  const target = plan.segments.reduce((sum, { rows }) => sum + rows, 0);
  const files = [...(await folder.batches()).values()].map((file) => relative(folder.path, file));
  await folder.updateMetadata({
    dataset_name: folder.name,
    target_num_records: target,
    original_target_num_records: plan.segments[0]?.rows ?? target,
    actual_num_records: summary.rows,
    total_num_batches: files.length,
    num_completed_batches: files.length,
    buffer_size: plan.segments[0]?.groupSize ?? target,
    file_paths: { 'parquet-files': files, 'processor-files': {} },
    config_hash: plan.fingerprint,
    config_hash_algo: 'sha256',
    config_hash_version: 2,
    preserve_dropped_columns: true,
  });
}
