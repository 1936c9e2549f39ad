import { columnTypes } from '@data-designer/columns';
import {
  ColumnRegistry,
  type DatasetConfig,
  joinProviders,
  parseDataset,
  parseRunConfig,
  type Providers,
  type RunConfig,
  writeDataset,
} from '@data-designer/config';
import type { Plan } from '@data-designer/core';
import { compile, preview, run, type RunEvent, WorkerPool } from '@data-designer/engine';
import { builtInModelServers, builtInProviders } from './built-in-providers.ts';
import { DatasetCreationResults } from './dataset-creation-results.ts';
import type { Declared, RecordOf } from './declaration.ts';
import { documentOf } from './declaration.ts';
import { PreviewResults } from './preview-results.ts';

/** What a `DataDesigner` works with, whatever the dataset. */
export interface DataDesignerOptions {
  /** Folder of the datasets; default `./artifacts`. */
  readonly artifactPath?: string;
  /** Model and MCP providers; `simulator` and `demo-tools` are built in, and one of the same name here wins. */
  readonly providers?: Providers;
  /** How runs go; see `setRunConfig`. */
  readonly runConfig?: Partial<RunConfig>;
}

/** How long something may go on. */
export interface StopOptions {
  /** Stops at once; what was received is kept. */
  readonly signal?: AbortSignal;
  /** Asks for nothing more, waits for the answers under way, then stops. */
  readonly drain?: AbortSignal;
}

/** How a preview is made. */
export interface PreviewDatasetOptions extends StopOptions {
  /** Rows wanted; default 10. */
  readonly numRecords?: number;
}

/** How a dataset is made. */
export interface CreateOptions extends StopOptions {
  /** Rows wanted; default 10. */
  readonly numRecords?: number;
  /** Name of the dataset's folder; default `dataset`. A time is added when it is taken. */
  readonly datasetName?: string;
  /** `always` goes on with the dataset of this name: finished row groups stay, answers paid for are not asked again. */
  readonly resume?: 'never' | 'always';
  /** What the files are; default `parquet`. */
  readonly format?: 'parquet' | 'arrow';
  /** Told what happens while the run goes; must not throw. */
  readonly onEvent?: (event: RunEvent) => void;
}

/** Makes datasets from declarations: previews in memory, batch jobs in folders. */
export class DataDesigner implements AsyncDisposable {
  readonly #artifactPath: string;
  readonly #providers: Providers;
  readonly #registry = new ColumnRegistry(columnTypes);
  readonly #pool = new WorkerPool();
  #runConfig: RunConfig;

  constructor(options: DataDesignerOptions = {}) {
    const { artifactPath = './artifacts', providers = { models: [], tools: [] }, runConfig = {} } = options;
    this.#artifactPath = artifactPath;
    this.#providers = joinProviders(providers, builtInProviders);
    this.#runConfig = parseRunConfig(runConfig, 'The run config');
  }

  /** Changes how runs go from here on; what is not given goes back to its default. Throws `config/invalid`. */
  setRunConfig(runConfig: Partial<RunConfig>): this {
    this.#runConfig = parseRunConfig(runConfig, 'The run config');
    return this;
  }

  /** Finds every mistake that can be found before the first request (`config/invalid`), or gives the plan. */
  validate(declared: Declared, { numRecords = 10 }: { readonly numRecords?: number } = {}): Plan {
    return this.#compile(declared, numRecords).plan;
  }

  /** Makes a few rows in memory, on the same threads and through the same gateway as `create`. */
  async preview<D extends Declared>(
    declared: D,
    options: PreviewDatasetOptions = {},
  ): Promise<PreviewResults<RecordOf<D>>> {
    const { plan } = this.#compile(declared, options.numRecords ?? 10);
    return new PreviewResults(await preview(plan, this.#runOptions(options)));
  }

  /** Makes a dataset: files in a folder of its own, resumable at any moment. */
  async create<D extends Declared>(
    declared: D,
    options: CreateOptions = {},
  ): Promise<DatasetCreationResults<RecordOf<D>>> {
    const { numRecords = 10, datasetName = 'dataset', resume = 'never', format = 'parquet' } = options;
    const { plan, config } = this.#compile(declared, numRecords);
    const result = await run(plan, {
      ...this.#runOptions(options),
      artifactPath: this.#artifactPath,
      datasetName,
      resume,
      format,
      seed: this.#runConfig.seed,
      document: writeDataset(config, this.#registry),
      onEvent: options.onEvent ?? (() => {}),
    });
    return new DatasetCreationResults(result, { simulated: this.#isSimulated(plan) });
  }

  /** Ends the worker threads, which otherwise wait for the next run without keeping the process alive. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]();
  }

  /** Whether answers come from the built-in simulator. */
  #isSimulated({ resources }: Plan): boolean {
    const given = new Set(this.#providers.models.map(({ name }) => name));
    const builtIn = builtInModelServers.filter(({ name }) => !given.has(name));
    return builtIn.some(({ name }) => resources.some(({ kind, provider }) => kind === 'model' && provider === name));
  }

  #runOptions({ signal, drain }: StopOptions) {
    const never = new AbortController().signal;
    return {
      providers: this.#providers,
      modelServers: builtInModelServers,
      pool: this.#pool,
      maxConcurrentRowGroups: this.#runConfig.maxConcurrentRowGroups,
      signal: signal ?? never,
      drain: drain ?? never,
    };
  }

  #compile(declared: Declared, numRecords: number): { plan: Plan; config: DatasetConfig } {
    const { document, source } = documentOf(declared);
    const parsed = parseDataset(document, this.#registry);
    const plan = compile(parsed, {
      registry: this.#registry,
      numRecords,
      runConfig: this.#runConfig,
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
