import type { CellFailure, LostRows, WireFailure } from '@data-designer/core';
import type { ImageSum, SummedFile } from '@data-designer/dataset';
import type { GroupProgress } from './group-progress.ts';

/** The result of a row group: plain data, so that it crosses threads and machines. */
export interface RowGroupResult extends Omit<GroupProgress, 'lost' | 'reasons' | 'inFlight' | 'calls'> {
  readonly lost: readonly LostRows[];
  /** How many rows were lost to requests that failed although their endpoint answered others; none if absent. */
  readonly lostAlone?: number;
  /** The index in the run of each row, if a reader may have some of them already. */
  readonly rowIndexes?: readonly number[];
  /** Rows that the end of the run left for a later run. */
  readonly unfinished: number;
  /** Why the executor abandoned the group while the others continue; the run fails with it at its end. */
  readonly abandoned?: WireFailure | undefined;
  /** The failed cells, also those whose rows continued. */
  readonly failures: readonly CellFailure[];
  /** Images that no finished row shows, by their paths in the dataset's folder. */
  readonly orphanedImages: readonly string[];
  /** The images that its rows show; absent without any. */
  readonly images?: readonly ImageSum[];
  /** Whether a machine of a cluster has committed the group; its files and logs are no concern of the coordinator. */
  readonly isCommitted?: true;
  /** The rows and their side tables, in order: files that wait for the commit, or Arrow streams; undefined where the group was abandoned. */
  readonly output:
    | { readonly file: SummedFile; readonly sideTables?: readonly SummedFile[] }
    | { readonly bytes: Uint8Array; readonly sideTables?: readonly Uint8Array[] }
    | undefined;
}

/** A worker's answer. A failure travels as data: a thrown error would lose its code. */
export type WorkerAnswer = { readonly result: RowGroupResult } | { readonly failure: WireFailure };
