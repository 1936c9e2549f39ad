import { existsSync } from 'node:fs';
import { systemCode } from '@data-designer/core';
import { writeDurably } from '../files/commit-file.ts';
import { files } from '../files/files.ts';
import { orStorageFailure } from '../files/storage-failure.ts';
import type { DatasetPaths } from '../dataset-paths.ts';
import { type ClusterPaths, clusterPaths } from './cluster-paths.ts';
import { removeClusterRun } from './merge-commits.ts';

/** Offers the place of a session's coordinator to the other machines. The file outlives Redis. */
export async function offerSession({ offer }: ClusterPaths, holder: string): Promise<void> {
  await writeDurably(offer, holder);
}

/** Whether the coordinator of a session offers its place. */
export function isOffered({ offer }: ClusterPaths): boolean {
  return existsSync(offer);
}

/** Takes an offer, which only one machine can do; false if there is none. */
export function acceptOffer({ folder, offer, accepted }: ClusterPaths): Promise<boolean> {
  return moveOffer(folder, offer, accepted);
}

/** Takes an offer back; false if a machine has taken it. */
export function withdrawOffer({ folder, offer, withdrawn }: ClusterPaths): Promise<boolean> {
  return moveOffer(folder, offer, withdrawn);
}

/** Ends a session. Its record goes first: a machine that finds no offer, as it was withdrawn, must not find the record. */
export async function endSession(paths: Pick<DatasetPaths, 'clusters'>, run: string): Promise<void> {
  await files().unlink(clusterPaths(paths, run).start);
  await removeClusterRun(paths, run);
}

/** Renames the offer: of several machines that do so, one succeeds. */
function moveOffer(folder: string, from: string, to: string): Promise<boolean> {
  return orStorageFailure(from, async () => {
    try {
      await files().rename(from, to);
    } catch (thrown) {
      if (systemCode(thrown) === 'ENOENT') return false;
      throw thrown;
    }
    await files().syncFolder(folder);
    return true;
  });
}
