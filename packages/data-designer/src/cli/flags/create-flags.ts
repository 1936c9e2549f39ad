import type { ExportFormat } from '@data-designer/dataset/formats';
import type { ResumeMode } from '../../data-designer-options.ts';
import type { CommonFlags, DisplayFlags } from './common-flags.ts';

/** The flags of `create`. */
export interface CreateFlags extends CommonFlags, DisplayFlags {
  readonly numRecords: number;
  readonly datasetName: string;
  readonly artifactPath: string;
  readonly format?: ExportFormat;
  readonly resume: ResumeMode;
  readonly reRequest: boolean;
  /** The earlier name of `--re-request`. */
  readonly rebuy: boolean;
  readonly compact?: boolean;
  readonly show: number;
  /** A file, or true for standard output. */
  readonly report?: string | true;
  readonly strict: boolean;
  readonly callLog?: string;
  /** The flags of workflows. */
  readonly targets: readonly string[];
  readonly rerunFrom?: string;
  readonly override?: Readonly<Record<string, string>>;
}
