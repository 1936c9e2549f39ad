import { dirname } from 'node:path';
import { loadPlugins } from '@data-designer/columns';
import {
  checkDataset,
  checkOptions,
  type ColumnRegistry,
  joinProviders,
  loadPrices,
  locate,
  noPrices,
  parseRunConfig,
  readHome,
  type RunConfig,
  type RunSettings,
  settingsWithoutEffect,
  writeDataset,
} from '@data-designer/config';
import { NEVER, type Plan, refuseAddress, SEED_TABLE } from '@data-designer/core';
import { isBatchFormat } from '@data-designer/dataset/formats';
import {
  type AliasCheck,
  endOf,
  joinResources,
  LiveRecords,
  loadRun,
  preview,
  resumeIfPossible,
  run,
  type RunEvent,
  type RunResult,
  type TaskTraces,
  WorkerPool,
} from '@data-designer/engine';
import { GatewayThread } from '@data-designer/gateway';
import type { AnalyseOptions } from '@data-designer/profile';
import { priorSeed, RowSpools, type TableSource } from '@data-designer/seeds';
import {
  builtInModelServers,
  builtInProviders,
  compileDeclaration,
  type CompileSettings,
  configReport,
  type ConfigReport,
  type CreateOptions,
  createRules,
  type DataDesignerOptions,
  type Declared,
  designerRules,
  endSettings,
  isSimulated,
  joinRules,
  type JoinRunOptions,
  keysOf,
  packageVersion,
  parseDeclaration,
  parseProviders,
  pluginAddress,
  type PreviewDatasetOptions,
  previewRules,
  type RecordOf,
  refuseUselessRetry,
  rehearsalRules,
  resolveMediaRoots,
  type StopOptions,
  stopRules,
  stopSignals,
  type TableOptions,
  type ValidateOptions,
  validateRules,
  DEFAULT_ROWS,
} from '@data-designer/declaration';
import type { JoinedRun } from '@data-designer/cluster';
import { openMachines, orRejoin, type PlacedOptions } from './cluster/open-machines.ts';
import { ComposedWorkflow, type FlowRecord, type RehearseStageOptions, type StageMaker } from '@data-designer/workflow';
import {
  awaited,
  datasetCreation,
  type DatasetCreation,
  DatasetCreationResults,
  PreviewResults,
  writeExports,
} from '@data-designer/results';
import { type Listeners, observeRun, withTraces } from './observe/observe-run.ts';
import { type Rehearsal, type RehearsalOptions, resolveRates } from '@data-designer/rehearsal';

/** Creates datasets, previews and estimates from configs, which are builders or documents. */
export class DataDesigner implements AsyncDisposable {
  readonly #artifactPath: string;
  readonly #given: DataDesignerOptions;
  #settings: Omit<CompileSettings, 'registry' | 'runConfig'>;
  readonly #mediaRoots: readonly string[];
  #pool = new WorkerPool();
  #registry: Promise<ColumnRegistry> | undefined;
  #runConfig: RunConfig;

  /**
   * Reads the home folder and the given files, and sends no request. Throws `config/invalid`, `config/unreadable` or
   * `dataset/no-media-root`.
   */
  constructor(options: DataDesignerOptions = {}) {
    const call = 'new DataDesigner()';
    checkOptions(options, designerRules, call);
    const { artifactPath = './artifacts', providers = {}, runConfig = {} } = options;
    refuseAddress(artifactPath);
    const home = options.home ?? readHome();
    this.#given = options;
    const { servers, local } = parseProviders(providers, call);
    this.#artifactPath = artifactPath;
    this.#mediaRoots = resolveMediaRoots(options.mediaRoots ?? []);
    this.#settings = {
      plugins: (options.plugins ?? []).map(pluginAddress),
      home,
      providers: joinProviders(servers, home.providers, builtInProviders),
      localTools: local,
      permissions: options.permissions ?? {},
      spools: new RowSpools(),
      priceOf: options.prices === undefined ? noPrices : loadPrices(options.prices),
      onWarning: options.onWarning ?? (() => {}),
    };
    this.#runConfig = parseRunConfig(runConfig, 'The run config', 'camel');
  }

  /** Replaces the settings of later runs; omitted ones return to their defaults. Throws `config/invalid`. */
  setRunConfig(runConfig: RunSettings): this {
    this.#runConfig = parseRunConfig(runConfig, 'The run config', 'camel');
    return this;
  }

  /** Compiles a declaration without sending a request; throws `config/invalid` with every mistake. */
  async validate(declared: Declared, options: ValidateOptions = {}): Promise<Plan> {
    checkOptions(options, validateRules, 'validate()');
    const { numRecords } = options;
    const compiling = {
      wanted: { rows: numRecords ?? DEFAULT_ROWS },
      selectedRows: numRecords,
      signals: stopSignals({}),
    };
    return (await compileDeclaration(declared, await this.#compileSettings(), compiling)).plan;
  }

  /** Checks a declaration and returns its mistakes and warnings as data, without requests or files. */
  async check(declared: Declared, options: ValidateOptions = {}): Promise<ConfigReport> {
    checkOptions(options, validateRules, 'check()');
    const settings = await this.#compileSettings();
    const inspecting = { selectedRows: options.numRecords };
    const { parsed, checks, tables, violations: tried } = await parseDeclaration(declared, settings, inspecting);
    const found = [...checkDataset(parsed, { ...checks, keys: keysOf(settings) }), ...tried];
    const { storageWarnings } = await import('@data-designer/config/check-storage');
    found.push(...storageWarnings(parsed, { found, registry: settings.registry }));
    const violations = [...locate(found, declared.document), ...settingsWithoutEffect(settings.runConfig)];
    return configReport(parsed, violations, {
      registry: settings.registry,
      source: declared.source,
      seed: tables.seed,
    });
  }

  /**
   * Sends a small request to every model alias in use and lists the tools of every tool alias, in parallel. Aliases that
   * fail are returned with the reason; throws `config/invalid` for a declaration with mistakes.
   */
  async checkModels(declared: Declared, options: StopOptions = {}): Promise<readonly AliasCheck[]> {
    checkOptions(options, stopRules, 'checkModels()');
    const signals = stopSignals(options);
    const { plan, skippedProbes: skipped } = await this.#compile(declared, { rows: 1 }, signals);
    return this.#checkAliases({ plan, skippedProbes: skipped }, signals);
  }

  /** Makes a few rows in memory, in the same way as `create`. Throws `config/invalid`, or the failure that ended the run. */
  preview<D extends Declared>(declared: D, options: PreviewDatasetOptions = {}): Promise<PreviewResults<RecordOf<D>>> {
    const made = this.#preview<RecordOf<D>>(declared, options);
    return awaited(made, { call: 'designer.preview(…)', type: PreviewResults<RecordOf<D>> });
  }

  async #preview<Row>(declared: Declared, options: PreviewDatasetOptions): Promise<PreviewResults<Row>> {
    checkOptions(options, previewRules, 'preview()');
    const signals = stopSignals(options);
    const wanted = { rows: options.numRecords ?? DEFAULT_ROWS };
    const { onEvent = () => {}, callLog } = options;
    return observeRun({ operation: 'preview', callLog, onEvent }, async (listeners) => {
      const { plan, tables, functions, skippedProbes, aliases } = await this.#compile(declared, wanted, signals);
      const inputs = { tables, functions, skippedProbes };
      const traces = await this.#taskTraces(plan);
      const result = await preview(plan, {
        ...this.#runOptions(signals),
        ...inputs,
        ...withTraces(listeners, traces),
      });
      return new PreviewResults<Row>(result, {
        declared: aliases,
        analyseOptions: await this.#analyseOptions(signals),
        taskTraces: traces?.list() ?? null,
      });
    });
  }

  /**
   * Estimates requests, tokens, cost and time of a run by making a sample of its rows with simulated models in a temporary
   * folder. It sends no request to a model and needs no key. Throws `rehearsal/invalid-option`.
   */
  async rehearse(declared: Declared, options: RehearsalOptions & StopOptions): Promise<Rehearsal> {
    checkOptions(options, rehearsalRules, 'rehearse()');
    const rates = resolveRates(options);
    const signals = stopSignals(options);
    return (await this.#rehearse(declared, { rates, signals, onEvent: options.onEvent })).rehearsal;
  }

  async #rehearse(declared: Declared, { rates, signals, place, onEvent = () => {} }: RehearseStageOptions) {
    // The limits of a workflow hold for all stages together, so that no stage may reach them alone.
    const runConfig = place ? { ...this.#runConfig, maxCost: null, maxDurationSeconds: null } : this.#runConfig;
    const settings = { ...(await this.#compileSettings()), runConfig };
    const { rows } = rates;
    // The rows of a workflow's stage are an estimate.
    const compiling = { wanted: { rows }, selectedRows: place ? undefined : rows, signals };
    const compiled = await compileDeclaration(declared, settings, compiling);
    const { plan, tables, functions } = compiled;
    const ownTools = this.#settings.providers.tools.filter((provider) => builtInProviders.tools.includes(provider));
    const { rehearse } = await import('@data-designer/rehearsal/rehearse');
    const rehearsed = await rehearse(plan, {
      rates,
      providers: this.#settings.providers.models,
      ownTools: new Set(ownTools.map(({ name }) => name)),
      onEvent,
      ...(place && { place }),
      run: {
        ...this.#runOptions(signals),
        mediaRoots: [...this.#mediaRoots, ...(place?.mediaRoots ?? [])],
        ends: endSettings(runConfig),
        tables,
        functions,
      },
    });
    return { ...rehearsed, compiled };
  }

  /**
   * Creates a dataset in a folder of its own. Await it for the results, or read the rows during the run: `for await
   * (const row of designer.create(…).records())`. An interrupted run can be resumed. Rejects with `config/invalid`, or
   * with the failure that ended the run; if the run ends at its own limit, such as a budget, the promise resolves.
   */
  create<D extends Declared>(declared: D, options: CreateOptions = {}): DatasetCreation<RecordOf<D>> {
    const { onEvent = () => {} } = options;
    const live = new LiveRecords();
    const take = (event: RunEvent): void => {
      live.take(event);
      onEvent(event);
    };
    const create = async (): Promise<DatasetCreationResults<RecordOf<D>>> => {
      checkOptions(options, createRules, 'create()');
      refuseUselessRetry(options, 'create()');
      const { readers } = live;
      return observeRun({ operation: 'create', callLog: options.callLog, onEvent: take }, (listeners) =>
        this.#create(declared, options, { ...listeners, observer: { ...listeners.observer, readers } }),
      );
    };
    return datasetCreation(create(), live);
  }

  /**
   * Helps to make the dataset of a cluster, in the folder that all machines share. It ends when the dataset is
   * finished, or when a signal stops this machine. It waits for the run if it has not begun. Throws `cluster/*` if the
   * machine cannot take part.
   */
  async join(folder: string, options: JoinRunOptions): Promise<JoinedRun> {
    checkOptions(options, joinRules, 'join()');
    const { joinCluster } = await import('./cluster/join-cluster.ts');
    const machine = this.#machineOptions(options);
    const { connection, onEvent = () => {} } = options;
    const { ended, ...joined } = await joinCluster(folder, {
      ...options,
      ...machine,
      leadWorkflow: async (lost, signals) => {
        const { continueWorkflow } = await import('./cluster/continue-workflow.ts');
        const makerOf = (record: FlowRecord, path: string) => this.#successor(record, path).#stageMaker();
        await continueWorkflow(lost, { ...machine, ...signals, connection, onEvent, makerOf });
      },
    });
    return { ...joined, ended: endOf(ended) };
  }

  /** Makes the stages of a workflow in the place of its lost coordinator, with its settings and the providers of this machine. */
  #successor({ runConfig, home, prices }: FlowRecord, path: string): DataDesigner {
    const given = { ...this.#given, artifactPath: dirname(path), home: { ...this.#settings.home, ...home } };
    const designer = new DataDesigner(given);
    designer.#runConfig = runConfig;
    designer.#settings = { ...designer.#settings, priceOf: (provider, model) => prices[`${provider}/${model}`] };
    designer.#pool = this.#pool;
    return designer;
  }

  /**
   * Starts a workflow: stages that seed each other, each a dataset in the folder of this name. Throws `config/invalid` for a
   * name that no folder can have.
   */
  composeWorkflow(name: string): ComposedWorkflow<Record<string, unknown>, object> {
    return new ComposedWorkflow(name, this.#stageMaker());
  }

  #stageMaker(): StageMaker {
    return {
      artifactPath: this.#artifactPath,
      home: this.#settings.home,
      settings: () => this.#runConfig,
      compile: async (declared, { rows, selectedRows, signals, onWarning = () => {} }) => {
        const settings = { ...(await this.#compileSettings()), onWarning };
        return compileDeclaration(declared, settings, { wanted: { rows }, selectedRows, signals });
      },
      create: (declared, { place, ...options }) =>
        observeRun(
          { operation: 'create', callLog: options.callLog, stage: place.stage, onEvent: options.onEvent ?? (() => {}) },
          (listeners) => this.#create(declared, { ...options, place }, listeners),
        ),
      rehearse: async (declared, options) => {
        const { rehearsal, sample, compiled } = await this.#rehearse(declared, options);
        return { rehearsal, compiled, results: await this.#results(sample, { exported: null, taskTraces: [] }) };
      },
      checkAliases: (compiled, signals) => this.#checkAliases(compiled, signals),
      openCluster: async (settings, work) => {
        const { openForCluster } = await import('./cluster/open-for-cluster.ts');
        return openForCluster(settings, { ...this.#parts, functions: new Map() }, work);
      },
      openThread: (resources) => GatewayThread.shared(joinResources(resources)),
      rejoin: async (failure, { signals, ...options }) => {
        const { rejoin } = await import('./cluster/rejoin-run.ts');
        return (await rejoin(failure, { ...this.#machineOptions(signals), ...options })).path;
      },
      load: async (path, options) => {
        const result = await loadRun(path, await this.#loadRegistry(), options);
        return this.#results(result, { exported: null, taskTraces: [] });
      },
      written: async (config) => writeDataset(config, await this.#loadRegistry()),
    };
  }

  async #create<D extends Declared>(
    declared: D,
    options: PlacedOptions,
    listeners: Listeners,
  ): Promise<DatasetCreationResults<RecordOf<D>>> {
    const { numRecords = DEFAULT_ROWS, datasetName = 'dataset', resume = 'never', format, place } = options;
    const { artifactPath = this.#artifactPath, shared } = place ?? {};
    const signals = stopSignals(options);
    const prior = resume !== 'never' ? await priorSeed(artifactPath, datasetName) : undefined;
    const wanted = { rows: numRecords, prior };
    const isShared = options.cluster !== undefined || place?.cluster !== undefined;
    const settings = { ...(await this.#compileSettings()), isShared };
    const compiled = await compileDeclaration(declared, settings, { wanted, selectedRows: numRecords, signals });
    const { plan, config, ...inputs } = compiled;
    const traces = await this.#taskTraces(plan);
    await using machines = await openMachines(
      { ...options, ...listeners },
      { ...this.#parts, functions: compiled.functions },
      plan,
    );
    const made = (resume === 'if_possible' ? resumeIfPossible : run)(plan, {
      ...this.#runOptions(signals),
      ...inputs,
      tables: place?.extendsInput ? inputs.tables.map(extended) : inputs.tables,
      shared,
      mediaRoots: [...this.#mediaRoots, ...(place?.mediaRoots ?? [])],
      ends: { ...endSettings(this.#runConfig), spentSeconds: place?.spentSeconds ?? 0 },
      artifactPath,
      datasetName,
      resume: resume === 'never' ? 'never' : 'always',
      reRequest: options.reRequest ?? false,
      retryLost: options.retryLost ?? false,
      compact: this.#runConfig.compact,
      writeSchedulerEvents: this.#runConfig.writeSchedulerEvents,
      // An export format leaves open how the dataset itself is stored.
      format: format !== undefined && isBatchFormat(format) ? format : undefined,
      seed: this.#runConfig.seed,
      machines,
      document: {
        data_designer: writeDataset(config, await this.#loadRegistry()),
        library_version: packageVersion(),
      },
      ...withTraces(listeners, traces),
    });
    const rejoining = { ...this.#machineOptions(signals), ...listeners, registry: await this.#loadRegistry() };
    const { functions } = inputs;
    const { run: clusterRun } = machines ?? {};
    const result = await orRejoin(made, { ...rejoining, functions, run: clusterRun, cluster: options.cluster });
    const parts = { exported: await writeExports(result, format), taskTraces: traces?.list() ?? [] };
    return this.#results<RecordOf<D>>(result, parts, signals);
  }

  async #results<Row>(
    result: RunResult,
    parts: Pick<ConstructorParameters<typeof DatasetCreationResults>[1], 'exported' | 'taskTraces'>,
    signals: Required<StopOptions> = stopSignals({}),
  ): Promise<DatasetCreationResults<Row>> {
    const simulated = isSimulated(result.plan, this.#settings.providers);
    return new DatasetCreationResults<Row>(result, {
      ...parts,
      simulated,
      analyseOptions: await this.#analyseOptions(signals),
    });
  }

  /**
   * Ends the worker threads within 10 s, unless another `DataDesigner` uses them in this time. If it is not called, the
   * threads wait for the next run of any `DataDesigner`, but do not keep the process alive. Also drops stored seed rows
   * whose source can be read only once.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
    await this.#settings.spools[Symbol.asyncDispose]();
  }

  /** The types of columns, processors and seeds, including plug-ins; throws `plugin/unusable`. */
  #loadRegistry(): Promise<ColumnRegistry> {
    return (this.#registry ??= loadPlugins(this.#settings.plugins));
  }

  /** The options to profile results with; a drained run can still be profiled. */
  async #analyseOptions({ signal }: Required<StopOptions>): Promise<AnalyseOptions> {
    const servers = { providers: this.#settings.providers, modelServers: builtInModelServers };
    return { registry: await this.#loadRegistry(), probe: { ...servers, signal, drain: NEVER } };
  }

  /** The traces of the tasks of a run; undefined if nobody wants them, so that nothing is collected. */
  async #taskTraces(plan: Plan): Promise<TaskTraces | undefined> {
    const isWanted = this.#runConfig.asyncTrace || process.env['DATA_DESIGNER_ASYNC_TRACE'] === '1';
    if (!isWanted) return undefined;
    const { TaskTraces: Traces } = await import('@data-designer/engine/task-traces');
    return new Traces(plan);
  }

  async #checkAliases(
    { plan, skippedProbes: skipped }: { readonly plan: Plan; readonly skippedProbes: ReadonlyMap<string, string> },
    signals: Required<StopOptions>,
  ): Promise<readonly AliasCheck[]> {
    const { checkAliases } = await import('@data-designer/engine/check-aliases');
    return checkAliases(plan, { ...this.#runOptions(signals), skipped });
  }

  /** The code that runs of this designer call, but for the functions of a config, and what their cells may read. */
  get #parts() {
    const { plugins, localTools, permissions } = this.#settings;
    return { plugins, localTools, mediaRoots: this.#mediaRoots, allowPrivate: permissions.privateAddresses ?? false };
  }

  /** The options of a machine that joins a run, which brings its limits with it. */
  #machineOptions(signals: StopOptions) {
    const { admission: _a, ends: _e, maxConcurrentRowGroups: _m, ...machine } = this.#runOptions(stopSignals(signals));
    return { ...machine, ...this.#parts };
  }

  #runOptions(signals: Required<StopOptions>) {
    return {
      providers: this.#settings.providers,
      localTools: this.#settings.localTools,
      modelServers: builtInModelServers,
      pool: this.#pool,
      maxConcurrentRowGroups: this.#runConfig.maxConcurrentRowGroups,
      mediaRoots: this.#mediaRoots,
      admission: this.#runConfig.requestAdmission,
      maxToolServers: this.#runConfig.maxToolServers,
      ends: endSettings(this.#runConfig),
      allowPrivate: this.#settings.permissions.privateAddresses ?? false,
      ...signals,
    };
  }

  async #compileSettings(): Promise<CompileSettings> {
    return { ...this.#settings, registry: await this.#loadRegistry(), runConfig: this.#runConfig };
  }

  async #compile(declared: Declared, wanted: NonNullable<TableOptions['run']>, signals: Required<StopOptions>) {
    return compileDeclaration(declared, await this.#compileSettings(), { wanted, signals });
  }
}

/** The table of a seed to which rows were added. */
function extended(table: TableSource): TableSource {
  return table.id === SEED_TABLE ? { ...table, extendsPrior: true } : table;
}
