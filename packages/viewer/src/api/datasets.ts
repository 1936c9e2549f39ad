/** All datasets of the server. */
export interface DatasetList {
  /** The version of Data Designer. */
  readonly version: string;
  readonly title: string;
  /** The name of the workflow whose stages these are; null for other datasets. */
  readonly workflow: string | null;
  /** Whether the datasets are those of a folder, of which a list of runs opens first. */
  readonly isFolder: boolean;
  readonly datasets: readonly DatasetEntry[];
}

/** A dataset that the server shows. */
export interface DatasetEntry {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  /** The workflow that it is a stage of; null for other datasets. */
  readonly workflow: string | null;
}
