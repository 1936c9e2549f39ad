import { basename, dirname, resolve } from 'node:path';
import type { ColumnRegistry } from '@data-designer/config';
import type { DatasetList } from '../api/datasets.ts';
import { datasetsIn, findDatasets, type FoundDatasets } from './find-datasets.ts';
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
  /** Whether datasets may be compared with finished ones of the same folder, which are shown nowhere else. */
  readonly hasNeighbours?: boolean;
}

/** The most datasets of the same folder that are offered. */
const MAX_NEIGHBOURS = 50;

/** All datasets that the server shows, by their ids. */
export class ShownDatasets implements AsyncDisposable {
  readonly #options: ShownOptions;
  readonly #byPath = new Map<string, ShownDataset>();
  /** Datasets to compare with, by their paths. */
  readonly #neighbours = new Map<string, ShownDataset>();

  constructor(options: ShownOptions) {
    this.#options = options;
  }

  /** Looks for datasets again: the stages of a workflow appear one after the other. Throws `dataset/missing`. */
  async list(): Promise<DatasetList> {
    const { folders, version } = this.#options;
    let workflow: string | null = null;
    let isFolder = false;
    for (const folder of folders) {
      const found = await findDatasets(folder);
      workflow ??= found.workflow;
      isFolder ||= found.isFolder;
      for (const one of found.datasets) {
        if (!this.#byPath.has(one.path)) this.#byPath.set(one.path, this.#neighbours.get(one.path) ?? this.#open(one));
      }
    }
    const datasets = Array.from(this.#byPath.values(), ({ entry }) => entry);
    const [first = '.'] = folders;
    const title = workflow ?? (isFolder ? basename(resolve(first)) : datasets[0]?.name) ?? resolve('.');
    return { version, title, workflow, isFolder, datasets };
  }

  #open({ name, path, workflow }: FoundDatasets['datasets'][number]): ShownDataset {
    const { registry, mediaRoots } = this.#options;
    return new ShownDataset({ id: this.#idFor(name), name, path, workflow }, registry, mediaRoots);
  }

  /** The name, which addresses keep over restarts; with a number where another dataset has it. */
  #idFor(name: string): string {
    const taken = new Set(Array.from(this.#known(), ({ entry }) => entry.id));
    let id = name;
    for (let number = 2; taken.has(id); number++) id = `${name} ${number}`;
    return id;
  }

  /** The datasets of the list. */
  all(): readonly ShownDataset[] {
    return [...this.#byPath.values()];
  }

  /** The latest other datasets of the folder of a dataset, or of its workflow; none where they must not be shown. */
  async neighboursOf({ entry: { path, workflow } }: ShownDataset): Promise<readonly ShownDataset[]> {
    if (this.#options.hasNeighbours !== true) return [];
    const folder = workflow === null ? dirname(path) : dirname(dirname(path));
    const found = (await datasetsIn(folder)).filter((one) => !this.#byPath.has(one.path));
    return found.slice(0, MAX_NEIGHBOURS).map((one) => {
      const neighbour = this.#neighbours.get(one.path) ?? this.#open(one);
      this.#neighbours.set(one.path, neighbour);
      return neighbour;
    });
  }

  /** A dataset by its id. */
  of(id: string): ShownDataset {
    const found = this.#known().find(({ entry }) => entry.id === id);
    if (!found) throw new RequestFailure(404, 'view/not-found', `This server shows no dataset '${id}'.`);
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#known().map((dataset) => dataset[Symbol.asyncDispose]()));
  }

  #known(): readonly ShownDataset[] {
    return [...new Set([...this.#byPath.values(), ...this.#neighbours.values()])];
  }
}
