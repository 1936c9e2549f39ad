import type { ExportFormat } from '@data-designer/dataset/formats';
import type { ClusterSettings, ResumeMode } from '@data-designer/declaration';
import type { CommonFlags, DisplayFlags } from './common-flags.ts';

/** The flags of `create`. */
export interface CreateFlags extends CommonFlags, DisplayFlags {
  readonly numRecords: number;
  readonly datasetName: string;
  readonly artifactPath: string;
  readonly format?: ExportFormat;
  readonly resume: ResumeMode;
  readonly reRequest: boolean;
  readonly retryLost: boolean;
  readonly compact?: boolean;
  readonly show: number;
  /** Whether to show the run in the browser. */
  readonly view: boolean;
  /** A file, or true for standard output. */
  readonly report?: string | true;
  readonly strict: boolean;
  readonly callLog?: string;
  /** The flags of clusters; the lease in seconds. */
  readonly cluster?: string;
  readonly work: boolean;
  readonly lease?: number;
  /** The flags of workflows. */
  readonly targets: readonly string[];
  readonly rerunFrom?: string;
  readonly override?: Readonly<Record<string, string>>;
}

/** The cluster that the flags name. */
export function clusterOf(
  { cluster: connection, work, lease: leaseSeconds }: CreateFlags,
  leave: AbortSignal,
): ClusterSettings | undefined {
  if (connection === undefined) return undefined;
  return { connection, work, leave, ...(leaseSeconds === undefined ? {} : { leaseSeconds }) };
}
