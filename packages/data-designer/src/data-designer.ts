import { columnTypes } from '@data-designer/columns';
import {
  ColumnRegistry,
  type DatasetConfig,
  joinProviders,
  parseDataset,
  type Providers,
  runConfig,
  type RunConfig,
  writeDataset,
} from '@data-designer/config';
import type { Plan } from '@data-designer/core';
import { compile, run, type RunEvent } from '@data-designer/engine';
import { builtInModelServers, builtInProviders } from './built-in-providers.ts';
import { DatasetCreationResults } from './dataset-creation-results.ts';

/** What a `DataDesigner` works with, whatever the dataset. */
export interface DataDesignerOptions {
  /** Folder of the datasets; default `./artifacts`. */
  readonly artifactPath?: string;
  /** Model and MCP providers; `simulator` and `demo-tools` are built in, and one of the same name here wins. */
  readonly providers?: Providers;
}

/** A declaration as it was read, and what it is called in messages. */
export interface Declaration {
  readonly document: unknown;
  readonly source: string;
}

/** How one dataset is made. */
export interface CreateOptions {
  /** Rows wanted; default 10. */
  readonly numRecords?: number;
  /** Name of the dataset's folder; default `dataset`. A time is added when it is taken. */
  readonly datasetName?: string;
  readonly runConfig?: Partial<RunConfig>;
  readonly signal?: AbortSignal;
  /** Told what happens while the run goes; must not throw. */
  readonly onEvent?: (event: RunEvent) => void;
}

/** Makes datasets from declarations. */
export class DataDesigner {
  readonly #artifactPath: string;
  readonly #providers: Providers;
  readonly #registry = new ColumnRegistry(columnTypes);

  constructor({ artifactPath = './artifacts', providers = { models: [], tools: [] } }: DataDesignerOptions = {}) {
    this.#artifactPath = artifactPath;
    this.#providers = joinProviders(providers, builtInProviders);
  }

  /** Finds every mistake that can be found before the first request (`config/invalid`), or gives the plan. */
  validate(declaration: Declaration, { numRecords = 10, runConfig: settings = {} }: CreateOptions = {}): Plan {
    return this.#compile(declaration, numRecords, settings).plan;
  }

  /** Makes a dataset: Parquet files in a folder of its own. */
  async create(declaration: Declaration, options: CreateOptions = {}): Promise<DatasetCreationResults> {
    const { numRecords = 10, datasetName = 'dataset', runConfig: settings = {} } = options;
    const { plan, config } = this.#compile(declaration, numRecords, settings);
    const result = await run(plan, {
      artifactPath: this.#artifactPath,
      datasetName,
      providers: this.#providers,
      modelServers: builtInModelServers,
      document: writeDataset(config, this.#registry),
      signal: options.signal ?? new AbortController().signal,
      onEvent: options.onEvent ?? (() => {}),
    });
    return new DatasetCreationResults(result, plan);
  }

  #compile(
    { document, source }: Declaration,
    numRecords: number,
    settings: Partial<RunConfig>,
  ): { plan: Plan; config: DatasetConfig } {
    const parsed = parseDataset(document, this.#registry);
    const plan = compile(parsed, {
      registry: this.#registry,
      numRecords,
      runConfig: runConfig.parse(settings),
      providerNames: {
        models: [...this.#providers.models, ...builtInModelServers].map(({ name }) => name),
        tools: this.#providers.tools.map(({ name }) => name),
      },
      modelProviders: this.#providers.models,
      source,
    });
    return { plan, config: parsed.config };
  }
}
