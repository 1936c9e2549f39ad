import { basename, resolve } from 'node:path';
import type { ColumnRegistry } from '@data-designer/config';
import type { DatasetList } from '../api/datasets.ts';
import { findDatasets } from './find-datasets.ts';
import { RequestFailure } from './request-failure.ts';
import { ShownDataset } from './shown-dataset.ts';

/** What a viewer shows. */
export interface ShownOptions {
  /** Datasets, workflows, or folders of datasets. */
  readonly folders: readonly string[];
  readonly registry: ColumnRegistry;
  /** The version of Data Designer. */
  readonly version: string;
  /** Folders whose files cells may name, beside that of the dataset; none unless given. */
  readonly mediaRoots?: readonly string[] | undefined;
}

/** All datasets that the server shows, by their ids. */
export class ShownDatasets implements AsyncDisposable {
  readonly #options: ShownOptions;
  readonly #byPath = new Map<string, ShownDataset>();

  constructor(options: ShownOptions) {
    this.#options = options;
  }

  /** Looks for datasets again: the stages of a workflow appear one after the other. Throws `dataset/missing`. */
  async list(): Promise<DatasetList> {
    const { folders, registry, version, mediaRoots } = this.#options;
    let workflow: string | null = null;
    let isFolder = false;
    for (const folder of folders) {
      const found = await findDatasets(folder);
      workflow ??= found.workflow;
      isFolder ||= found.isFolder;
      for (const { name, path, workflow: of } of found.datasets) {
        if (!this.#byPath.has(path)) {
          this.#byPath.set(
            path,
            new ShownDataset({ id: this.#idFor(name), name, path, workflow: of }, registry, mediaRoots),
          );
        }
      }
    }
    const datasets = Array.from(this.#byPath.values(), ({ entry }) => entry);
    const [first = '.'] = folders;
    const title = workflow ?? (isFolder ? basename(resolve(first)) : datasets[0]?.name) ?? resolve('.');
    return { version, title, workflow, isFolder, datasets };
  }

  /** The name, which addresses keep over restarts; with a number where another dataset has it. */
  #idFor(name: string): string {
    const taken = new Set(Array.from(this.#byPath.values(), ({ entry }) => entry.id));
    let id = name;
    for (let number = 2; taken.has(id); number++) id = `${name} ${number}`;
    return id;
  }

  /** A dataset by its id. */
  of(id: string): ShownDataset {
    const found = [...this.#byPath.values()].find(({ entry }) => entry.id === id);
    if (!found) throw new RequestFailure(404, 'view/not-found', `This server shows no dataset '${id}'.`);
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Array.from(this.#byPath.values(), (dataset) => dataset[Symbol.asyncDispose]()));
  }
}
