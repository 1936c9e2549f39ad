import { join } from 'node:path';
import { type DatasetPaths, groupDigits } from '../dataset-paths.ts';

/** The files that the machines of one run on a cluster share. */
export interface ClusterPaths {
  readonly folder: string;
  /** What a machine needs to coordinate the run; written when the run begins. */
  readonly start: string;
  /** Takes the place of `start` once all rows are made and the logs are merged: what is left is to complete the dataset. */
  readonly finishing: string;
  /** Why the run ends; written once it does. */
  readonly ending: string;
  /** The coordinator of a session leaves: the machine that renames this file takes its place. */
  readonly offer: string;
  /** An offer that a machine has taken, and one that the coordinator has taken back because no machine did. */
  readonly accepted: string;
  readonly withdrawn: string;
  /** The folder of the records of committed row groups. */
  readonly commits: string;
  /** The record of a committed row group: the first machine to create it has made the group. */
  readonly commit: (group: number) => string;
  readonly epochs: string;
  /** The folder with a file for each attempt at a row group. */
  readonly epochsOf: (group: number) => string;
  readonly machines: string;
  /** The file of a machine, by which the coordinator sees that both have the same folder. */
  readonly machine: (id: string) => string;
}

/** The paths of a run on a cluster, by its id. Each run has a folder of its own, so that late machines harm no later run. */
export function clusterPaths({ clusters }: Pick<DatasetPaths, 'clusters'>, run: string): ClusterPaths {
  const folder = join(clusters, run);
  const [commits, epochs, machines] = ['commits', 'epochs', 'machines'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  return {
    folder,
    start: join(folder, 'start.json'),
    finishing: join(folder, 'finishing.json'),
    ending: join(folder, 'ending.json'),
    offer: join(folder, 'offer'),
    accepted: join(folder, 'accepted'),
    withdrawn: join(folder, 'withdrawn'),
    commits,
    commit: (group) => join(commits, `group_${groupDigits(group)}.json`),
    epochs,
    epochsOf: (group) => join(epochs, `group_${groupDigits(group)}`),
    machines,
    machine: (id) => join(machines, id),
  };
}
