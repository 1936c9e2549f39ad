import type { CellValue } from '@data-designer/core';
import type { ToolStatistics } from '@data-designer/mcp';
import type { ModelUsage } from '@data-designer/models';

/** What `metadata.json` says, in the names of that file (as in NeMo Data Designer); keys of other tools are kept. */
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
  /** What models were asked and answered for the row groups that were made, by alias. */
  readonly usage?: Readonly<Record<string, ModelUsage>>;
  /** How tools were called for them, by tool. */
  readonly tools?: Readonly<Record<string, ToolStatistics>>;
  /** What that cost; null where prices or counts are not known. */
  readonly cost?: number | null;
  /** Answers that were kept and had to be bought again, as what was asked had changed. */
  readonly rebought_answers?: number;
  /** Undefined takes it out. */
  readonly column_statistics?: CellValue | undefined;
  readonly [key: string]: unknown;
}
