import { loadPlugins } from '@data-designer/columns';
import {
  checkDataset,
  type ColumnRegistry,
  type Home,
  joinProviders,
  loadPrices,
  noPrices,
  parseRunConfig,
  type PriceOf,
  type Providers,
  readHome,
  type RunConfig,
  settingsWithoutEffect,
  writeDataset,
} from '@data-designer/config';
import type { Plan, Violation } from '@data-designer/core';
import { isBatchFormat } from '@data-designer/dataset/formats';
import {
  type AliasCheck,
  checkAliases,
  LiveRecords,
  preview,
  resumeIfPossible,
  run,
  type RunEvent,
  WorkerPool,
} from '@data-designer/engine';
import type { AnalyseOptions } from '@data-designer/profile';
import { priorSeed, RowSpools } from '@data-designer/seeds';
import type { LocalToolProvider } from '@data-designer/mcp';
import { builtInModelServers, builtInProviders, isSimulated } from './built-in-providers.ts';
import type {
  CreateOptions,
  DataDesignerOptions,
  Permissions,
  PreviewDatasetOptions,
  StopOptions,
} from './data-designer-options.ts';
import { DatasetCreationResults } from './records/dataset-creation-results.ts';
import { creation, type DatasetCreation } from './records/dataset-creation.ts';
import { compileDeclaration, type CompileSettings, parseDeclaration } from './declaration/compile-declaration.ts';
import { type ConfigReport, configReport } from './declaration/config-report.ts';
import type { Declared, RecordOf } from './declaration/declaration.ts';
import type { TableOptions } from './declaration/open-tables.ts';
import { splitProviders } from './options/given-providers.ts';
import { mediaRootsOf } from './options/media-roots.ts';
import { pluginAddress } from './options/plugin-address.ts';
import { PreviewResults } from './records/preview-results.ts';
import { checkOptions } from './declaration/check-arguments.ts';
import type { Rehearsal } from './rehearsal/rehearsal.ts';
import { type RehearsalOptions, resolveRates } from './rehearsal/rehearsal-options.ts';
import { rehearse } from './rehearsal/rehearse.ts';
import { endSettings, signalsOf } from './options/resolve-options.ts';
import { skippedProbes } from './declaration/skipped-probes.ts';
import { writeExports } from './records/write-exports.ts';

/** Makes datasets from declarations: previews in memory, batch jobs in folders. */
export class DataDesigner implements AsyncDisposable {
  readonly #artifactPath: string;
  readonly #providers: Providers;
  readonly #localTools: readonly LocalToolProvider[];
  readonly #home: Home;
  readonly #plugins: readonly string[];
  #registryOfAll: Promise<ColumnRegistry> | undefined;
  readonly #pool = new WorkerPool();
  readonly #spools = new RowSpools();
  readonly #permissions: Permissions;
  readonly #mediaRoots: readonly string[];
  readonly #onWarning: (warning: Violation) => void;
  readonly #priceOf: PriceOf;
  #runConfig: RunConfig;

  constructor(options: DataDesignerOptions = {}) {
    const { artifactPath = './artifacts', providers = { models: [], tools: [] }, runConfig = {} } = options;
    this.#artifactPath = artifactPath;
    this.#permissions = options.permissions ?? {};
    this.#mediaRoots = mediaRootsOf(options.mediaRoots ?? []);
    this.#plugins = (options.plugins ?? []).map(pluginAddress);
    this.#priceOf = options.prices === undefined ? noPrices : loadPrices(options.prices);
    this.#onWarning = options.onWarning ?? (() => {});
    this.#home = options.home ?? readHome();
    const { servers, local } = splitProviders(providers);
    this.#providers = joinProviders(servers, this.#home.providers, builtInProviders);
    this.#localTools = local;
    this.#runConfig = parseRunConfig(runConfig, 'The run config');
  }

  /** Changes how runs go from here on; what is not given goes back to its default. Throws `config/invalid`. */
  setRunConfig(runConfig: Partial<RunConfig>): this {
    this.#runConfig = parseRunConfig(runConfig, 'The run config');
    return this;
  }

  /** Finds every mistake that can be found before the first request (`config/invalid`), or gives the plan. */
  async validate(declared: Declared, { numRecords = 10 }: { readonly numRecords?: number } = {}): Promise<Plan> {
    const never = new AbortController().signal;
    return (await this.#compile(declared, { rows: numRecords }, { signal: never, drain: never })).plan;
  }

  /** What is known of a declaration before a run, its mistakes and warnings as data; nothing is asked or written. */
  async check(declared: Declared): Promise<ConfigReport> {
    const setting = await this.#setting();
    const { parsed, checks, tables } = await parseDeclaration(declared, setting, {});
    const found = [...checkDataset(parsed, checks), ...tables.violations];
    const violations = [...found, ...settingsWithoutEffect(setting.runConfig)];
    return configReport(parsed, violations, setting.registry);
  }

  /**
   * Asks every model alias in use something small, and lists the tools of every tool alias, all side by side. What does
   * not answer is told, not thrown; throws `config/invalid` for a declaration with mistakes.
   */
  async checkModels(declared: Declared, options: StopOptions = {}): Promise<readonly AliasCheck[]> {
    const signals = signalsOf(options);
    const { plan, config } = await this.#compile(declared, { rows: 1 }, signals);
    return checkAliases(plan, { ...this.#runOptions(signals), skipped: skippedProbes(config) });
  }

  /** Makes a few rows in memory, on the same threads and through the same gateway as `create`. */
  async preview<D extends Declared>(
    declared: D,
    options: PreviewDatasetOptions = {},
  ): Promise<PreviewResults<RecordOf<D>>> {
    const signals = signalsOf(options);
    const wanted = { rows: options.numRecords ?? 10 };
    const { plan, config, tables, functions } = await this.#compile(declared, wanted, signals);
    const { onEvent = () => {} } = options;
    const skipped = { skippedProbes: skippedProbes(config), functions };
    const result = await preview(plan, { ...this.#runOptions(signals), ...skipped, tables, onEvent });
    return new PreviewResults(result, await this.#looking(signals));
  }

  /**
   * Foresees requests, tokens, cost and time of a run of so many rows: some of them are made with made-up models in a
   * folder that is removed. No model is asked and no key is needed. Throws `rehearsal/invalid-option`.
   */
  async rehearse(declared: Declared, options: RehearsalOptions & StopOptions): Promise<Rehearsal> {
    const rates = resolveRates(options);
    const signals = signalsOf(options);
    const { plan, tables, functions } = await this.#compile(declared, { rows: rates.rows }, signals);
    const ownTools = this.#providers.tools.filter((provider) => builtInProviders.tools.includes(provider));
    return rehearse(plan, {
      rates,
      providers: this.#providers.models,
      ownTools: new Set(ownTools.map(({ name }) => name)),
      onEvent: options.onEvent ?? (() => {}),
      run: { ...this.#runOptions(signals), tables, functions },
    });
  }

  /**
   * Makes a dataset: files in a folder of its own, resumable at any moment. Its rows can be had while it is made:
   * `for await (const row of designer.create(…).records())`.
   */
  create<D extends Declared>(declared: D, options: CreateOptions = {}): DatasetCreation<RecordOf<D>> {
    const { onEvent = () => {} } = options;
    const live = new LiveRecords();
    const take = (event: RunEvent): void => {
      live.take(event);
      onEvent(event);
    };
    return creation(this.#create(declared, { ...options, onEvent: take }), live);
  }

  async #create<D extends Declared>(
    declared: D,
    options: CreateOptions & Pick<Required<CreateOptions>, 'onEvent'>,
  ): Promise<DatasetCreationResults<RecordOf<D>>> {
    checkOptions(options);
    const { numRecords = 10, datasetName = 'dataset', resume = 'never', format } = options;
    const signals = signalsOf(options);
    const prior = resume !== 'never' ? await priorSeed(this.#artifactPath, datasetName) : undefined;
    const { plan, config, tables, functions } = await this.#compile(declared, { rows: numRecords, prior }, signals);
    const result = await (resume === 'if_possible' ? resumeIfPossible : run)(plan, {
      ...this.#runOptions(signals),
      skippedProbes: skippedProbes(config),
      tables,
      functions,
      artifactPath: this.#artifactPath,
      datasetName,
      resume: resume === 'never' ? 'never' : 'always',
      rebuy: options.rebuy ?? false,
      compact: this.#runConfig.compact,
      // An export format leaves open how the dataset itself is stored.
      format: format !== undefined && isBatchFormat(format) ? format : undefined,
      seed: this.#runConfig.seed,
      document: { data_designer: writeDataset(config, await this.#registry()) },
      onEvent: options.onEvent,
    });
    return new DatasetCreationResults(result, {
      exported: await writeExports(result, format),
      simulated: isSimulated(plan, this.#providers),
      looking: await this.#looking(signals),
    });
  }

  /**
   * Ends the worker threads, which otherwise wait for the next run without keeping the process alive, and forgets seed
   * rows that can be read once only.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
    await this.#spools[Symbol.asyncDispose]();
  }

  /** The types of columns, processors and seeds, those of plug-ins included; throws `plugin/unusable`. */
  #registry(): Promise<ColumnRegistry> {
    this.#registryOfAll ??= loadPlugins(this.#plugins);
    return this.#registryOfAll;
  }

  /** How what was made is profiled; a drain of the run is no reason not to look at it. */
  async #looking({ signal }: Required<StopOptions>): Promise<AnalyseOptions> {
    const outside = { providers: this.#providers, modelServers: builtInModelServers };
    return { registry: await this.#registry(), outside: { ...outside, signal, drain: new AbortController().signal } };
  }

  #runOptions(signals: Required<StopOptions>) {
    return {
      providers: this.#providers,
      localTools: this.#localTools,
      modelServers: builtInModelServers,
      pool: this.#pool,
      maxConcurrentRowGroups: this.#runConfig.maxConcurrentRowGroups,
      mediaRoots: this.#mediaRoots,
      admission: this.#runConfig.requestAdmission,
      ends: endSettings(this.#runConfig),
      allowPrivate: this.#permissions.privateAddresses ?? false,
      ...signals,
    };
  }

  /** What declarations are read with. */
  async #setting(): Promise<CompileSettings> {
    return {
      registry: await this.#registry(),
      plugins: this.#plugins,
      home: this.#home,
      providers: this.#providers,
      localTools: this.#localTools,
      permissions: this.#permissions,
      spools: this.#spools,
      runConfig: this.#runConfig,
      priceOf: this.#priceOf,
      onWarning: this.#onWarning,
    };
  }

  async #compile(declared: Declared, wanted: NonNullable<TableOptions['run']>, signals: Required<StopOptions>) {
    return compileDeclaration(declared, await this.#setting(), { wanted, signals });
  }
}
