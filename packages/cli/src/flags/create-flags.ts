import type { ClusterSettings, OptionsOf } from '@data-designer/declaration';
import type { CommonFlags, DisplayFlags } from './common-flags.ts';

/** The flags of `create`. */
export interface CreateFlags
  extends CommonFlags, DisplayFlags, Omit<OptionsOf<'create'> & OptionsOf<'run'>, 'cluster' | 'datasetName'> {
  readonly datasetName: string;
  readonly artifactPath: string;
  readonly show: number;
  /** Whether to show the run in the browser. */
  readonly view: boolean;
  /** A file, or true for standard output. */
  readonly report?: string | true;
  readonly strict: boolean;
  /** The flags of clusters; the lease in seconds. */
  readonly cluster?: string;
  readonly work: boolean;
  readonly lease?: number;
}

/** The cluster that the flags name. */
export function clusterOf(
  { cluster: connection, work, lease: leaseSeconds }: CreateFlags,
  leave: AbortSignal,
): ClusterSettings | undefined {
  if (connection === undefined) return undefined;
  return { connection, work, leave, ...(leaseSeconds === undefined ? {} : { leaseSeconds }) };
}
