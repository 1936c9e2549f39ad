import { stat } from 'node:fs/promises';
import type { DatasetPaths } from '../dataset-paths.ts';
import { ifThere } from '../files/missing-file.ts';
import { orStorageFailure } from '../files/storage-failure.ts';
import type { ClusterPaths } from './cluster-paths.ts';

/** How far a run on a cluster is: its rows are being made, it ends early, its rows are made, or it is over. */
export type RunStage = 'making' | 'ending' | 'made' | 'over';

/** How far a run is by its files; throws `dataset/*` if the folder cannot be read. */
export function stageOfRun(
  { folder }: Pick<DatasetPaths, 'folder'>,
  { start, ending, finishing }: ClusterPaths,
): Promise<RunStage> {
  return orStorageFailure(folder, async () => {
    if (await isThere(start)) return (await isThere(ending)) ? 'ending' : 'making';
    if (await isThere(finishing)) return 'made';
    // A folder that is gone tells nothing about the run.
    await stat(folder);
    return 'over';
  });
}

async function isThere(path: string): Promise<boolean> {
  return (await ifThere(stat(path), undefined)) !== undefined;
}
