import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { canonicalJson } from '@data-designer/config';
import { type ArrowField, field, messageFields, type Plan, rowsIn } from '@data-designer/core';
import {
  type BatchFile,
  type DatasetFolder,
  readJsonFile,
  RUN_RECORD_VERSION,
  type RunRecord,
  type SelectionRecord,
  sideFiles,
  sideTables,
  writeJsonFile,
  writeReadme,
} from '@data-designer/dataset';
import { attemptFigures } from '../attempt-figures.ts';
import { costOfAll, type RunSummary } from '../run-summary.ts';

/** Writes the declaration, and to `run.json` what a resume must find unchanged: plan, format and tools. */
export async function recordStart(
  folder: DatasetFolder,
  run: Omit<RunRecord, 'version'>,
  document: unknown,
): Promise<void> {
  await writeJsonFile(folder.paths.builderConfig, document);
  const declaration = declarationDigest(await readJsonFile(folder.paths.builderConfig));
  await folder.writeRun({ version: RUN_RECORD_VERSION, ...run, declaration } satisfies RunRecord);
  // New rows make the statistics outdated.
  if ((await folder.readMetadata())?.column_statistics !== undefined) {
    await folder.updateMetadata({ column_statistics: undefined });
  }
}

/** A digest of a declaration as `builder_config.json` has it, whatever the order of its keys and its white space. */
export function declarationDigest(document: unknown): string {
  return createHash('sha256').update(canonicalJson(document)).digest('hex').slice(0, 32);
}

/** How often `metadata.json` is updated: other files are always up to date. */
const RECORD_EVERY_MS = 5000;

/** Updates `metadata.json` after the first commit and then at intervals, not for each of thousands of commits. */
export function progressRecorder(
  folder: DatasetFolder,
): (state: Parameters<typeof recordProgress>[1]) => Promise<void> {
  let recordedAt = -Infinity;
  return async (state) => {
    const now = performance.now();
    if (now - recordedAt < RECORD_EVERY_MS) return;
    recordedAt = now;
    await recordProgress(folder, state);
  };
}

/** Updates `metadata.json`. */
export async function recordProgress(
  folder: DatasetFolder,
  {
    plan,
    summary,
    selection,
  }: { readonly plan: Plan; readonly summary: RunSummary; readonly selection?: SelectionRecord | undefined },
): Promise<void> {
  const usage = summary.pricedUsage(plan);
  const batches = await folder.batches();
  const files = batches.map(({ path }) => relative(folder.path, path));
  const groups = batches.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const partial = await folder.partialGroups();
  const left = partial.filter((group) => batches.some(({ first, last }) => first <= group && group <= last)).length;
  const made: Record<string, readonly string[]> = {};
  for (const table of sideTables(plan)) {
    if (table.processor === null) continue;
    made[table.processor] = (await sideFiles(folder.paths, table)).map(({ path }) => relative(folder.path, path));
  }
  if (summary.rows > 0) await writeReadme(folder.paths, sideTables(plan));
  await folder.updateMetadata({
    dataset_name: folder.name,
    target_num_records: rowsIn(plan.segments),
    original_target_num_records: plan.segments[0]?.rows ?? 0,
    actual_num_records: summary.rows,
    total_num_batches: groups,
    num_completed_batches: groups - left,
    buffer_size: plan.segments[0]?.groupSize ?? 0,
    file_paths: { 'parquet-files': files, 'processor-files': made },
    config_hash: isReadByPython(plan, batches) ? plan.fingerprint : `other-files:${plan.fingerprint}`,
    config_hash_algo: 'sha256',
    config_hash_version: 2,
    preserve_dropped_columns: plan.dropped !== null,
    usage,
    ...(Object.keys(summary.tools).length > 0 ? { tools: summary.tools } : {}),
    ...(plan.attempts ? { attempts: attemptFigures(plan, summary) } : {}),
    cost: costOfAll(usage),
    ...(summary.reRequested > 0 ? { re_requested_answers: summary.reRequested } : {}),
    ...(selection ? { selection } : {}),
  });
}

/**
 * Whether NeMo Data Designer can continue the dataset: one Parquet file for each row group, with columns of the types that it
 * writes. It compares `config_hash` before it adds rows, so that another hash makes it refuse.
 */
function isReadByPython({ fields, dropped, layout }: Plan, batches: readonly BatchFile[]): boolean {
  const isSingle = batches.every(({ path, first, last }) => first === last && path.endsWith('.parquet'));
  return isSingle && (layout === 'python' || [...fields, ...(dropped ?? [])].every((stored) => isPythonField(stored)));
}

function isPythonField({ type, json }: ArrowField): boolean {
  if (json === true || messageFields(type) !== undefined) return false;
  if (typeof type === 'string') return true;
  // It writes another name of the time zone, and dates of programs with microseconds.
  if ('logical' in type) return type.logical !== 'timestamp' || !type.zoned;
  return 'list' in type ? isPythonField(field('', type.list)) : type.struct.every(isPythonField);
}
