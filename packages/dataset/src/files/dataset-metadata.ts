import { type CellValue, fieldsOf, isFields, type LostRows, type Plan } from '@data-designer/core';
import type { ToolStatistics } from '@data-designer/mcp';
import type { ModelUsage } from '@data-designer/models';
import { readJsonFile } from './json-file.ts';

/** How the rows of a dataset were selected. */
export interface SelectionRecord {
  /** The finished dataset that they were selected from; absent where a run made its own candidates. */
  readonly source?: string;
  /** The rows that the rules decided on, those that they did not need included. */
  readonly candidates: number;
  /** The rows that they accepted. */
  readonly accepted: number;
  /** Why the others were refused, the most frequent reason first. */
  readonly refused: readonly LostRows[];
  /** Complete candidates that were not needed, which a larger dataset takes first; absent without one. */
  readonly left?: number;
  /** The rows whose reviews had no effect, because the rows changed after the review; absent without one. */
  readonly stale_reviews?: readonly number[];
  /** The requested rows for which a run's selection is finished; absent until then. */
  readonly finished_for?: number;
}

/** The content of `metadata.json`, with the keys of NeMo Data Designer; keys of other tools are kept. */
export interface DatasetMetadata {
  readonly dataset_name?: string;
  readonly target_num_records?: number;
  /** The target of the first run; never changes. */
  readonly original_target_num_records?: number;
  readonly actual_num_records?: number;
  readonly total_num_batches?: number;
  readonly num_completed_batches?: number;
  readonly buffer_size?: number;
  readonly file_paths?: {
    readonly 'parquet-files': readonly string[];
    readonly 'processor-files'?: Readonly<Record<string, readonly string[]>>;
  };
  /** `sha256:` and the hash. */
  readonly config_hash?: string;
  readonly config_hash_algo?: string;
  readonly config_hash_version?: number;
  readonly preserve_dropped_columns?: boolean;
  readonly post_generation_state?: 'started' | 'complete';
  readonly post_generation_processed?: boolean;
  /** The usage of models for the finished row groups, by alias. */
  readonly usage?: Readonly<Record<string, ModelUsage>>;
  /** The calls of tools for the finished row groups, by tool. */
  readonly tools?: Readonly<Record<string, ToolStatistics>>;
  /** The cost of that usage; null if prices or counts are unknown. */
  readonly cost?: number | null;
  /** Journaled answers that were re-requested because the request had changed. */
  readonly re_requested_answers?: number;
  /** The selection of rows; absent without one. */
  readonly selection?: SelectionRecord;
  /** Undefined removes the key. */
  readonly column_statistics?: CellValue | undefined;
  readonly [key: string]: unknown;
}

/** Whether `metadata.json` counts all row groups of a plan: it is older than the plan of a run for more rows. */
export function hasAllGroups(metadata: DatasetMetadata | undefined, segments: Plan['segments']): boolean {
  const groups = segments.reduce((sum, { rows, groupSize }) => sum + Math.ceil(rows / groupSize), 0);
  return groups > 0 && (metadata?.num_completed_batches ?? 0) >= groups;
}

/** The selection of a dataset's rows as its `metadata.json` has it; undefined without one, and for another form. */
export async function readSelection(path: string): Promise<SelectionRecord | undefined> {
  const { selection } = fieldsOf(await readJsonFile(path, { exact: false }).catch(() => undefined));
  return isSelection(selection) ? selection : undefined;
}

function isSelection(value: unknown): value is SelectionRecord {
  if (!isFields(value) || !Array.isArray(value.refused)) return false;
  return [value.candidates, value.accepted].every(Number.isSafeInteger) && value.refused.every(isFields);
}
