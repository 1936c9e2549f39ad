import { dirname } from 'node:path';
import {
  checkDataset,
  checkOptions,
  locate,
  parseRunConfig,
  type RunSettings,
  settingsWithoutEffect,
  writeDataset,
} from '@data-designer/config';
import { type Plan, SEED_TABLE } from '@data-designer/core';
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
} from '@data-designer/engine';
import { GatewayThread } from '@data-designer/gateway';
import { priorSeed, type TableSource } from '@data-designer/seeds';
import {
  builtInProviders,
  compileDeclaration,
  configReport,
  type ConfigReport,
  type CreateOptions,
  createRules,
  type DataDesignerOptions,
  type Declared,
  designerRules,
  endSettings,
  joinRules,
  type JoinRunOptions,
  keysOf,
  packageVersion,
  parseDeclaration,
  type PreviewDatasetOptions,
  previewRules,
  type RecordOf,
  refuseUselessRetry,
  rehearsalRules,
  type StopOptions,
  stopRules,
  stopSignals,
  type ValidateOptions,
  validateRules,
  DEFAULT_ROWS,
} from '@data-designer/declaration';
import type { JoinedRun } from '@data-designer/cluster';
import { openMachines, orRejoin, type PlacedOptions } from './cluster/open-machines.ts';
import {
  type CompiledStage,
  ComposedWorkflow,
  type FlowRecord,
  type RehearseStageOptions,
  type StageMaker,
} from '@data-designer/workflow';
import {
  awaited,
  datasetCreation,
  type DatasetCreation,
  DatasetCreationResults,
  PreviewResults,
  NOT_EXPORTED,
  writeExports,
} from '@data-designer/results';
import { type Listeners, observeRun, withTraces } from './observe/observe-run.ts';
import { type Rehearsal, type RehearsalOptions, resolveRates } from '@data-designer/rehearsal';
import { DesignerContext } from './designer-context.ts';
import { warnOfEnd, warnProgram } from './warn-program.ts';

/** Creates datasets, previews and estimates from configs, which are builders or documents. */
export class DataDesigner implements AsyncDisposable {
  readonly #given: DataDesignerOptions;
  #context: DesignerContext;

  /**
   * Reads the home folder and the given files, and sends no request. Throws `config/invalid`, `config/unreadable` or
   * `dataset/no-media-root`.
   */
  constructor(options: DataDesignerOptions = {}) {
    const call = 'new DataDesigner()';
    checkOptions(options, designerRules, call);
    this.#given = options;
    this.#context = DesignerContext.of(options, call);
  }

  /** Replaces the settings of later runs; omitted ones return to their defaults. Throws `config/invalid`. */
  setRunConfig(runConfig: RunSettings): this {
    this.#context.runConfig = parseRunConfig(runConfig, 'The run config', 'camel');
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
    return (await compileDeclaration(declared, await this.#context.compileSettings(), compiling)).plan;
  }

  /** Checks a declaration and returns its mistakes and warnings as data, without requests or files. */
  async check(declared: Declared, options: ValidateOptions = {}): Promise<ConfigReport> {
    checkOptions(options, validateRules, 'check()');
    const settings = await this.#context.compileSettings();
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
    const { plan, skippedProbes: skipped } = await this.#context.compile(declared, { rows: 1 }, signals);
    return this.#context.checkAliases({ plan, skippedProbes: skipped }, signals);
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
      const { plan, tables, functions, skippedProbes, aliases } = await this.#context.compile(
        declared,
        wanted,
        signals,
      );
      const inputs = { tables, functions, skippedProbes };
      const traces = await this.#context.taskTraces(plan);
      const result = await preview(plan, {
        ...this.#context.runOptions(signals),
        ...inputs,
        ...withTraces(listeners, traces),
      });
      const results = new PreviewResults<Row>(result, {
        declared: aliases,
        analyseOptions: await this.#context.analyseOptions(signals),
        taskTraces: traces?.list() ?? null,
      });
      if (!options.onEvent) warnOfEnd({ lost: results.findings.lost, ended: results.ended });
      return results;
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
    const runConfig = place
      ? { ...this.#context.runConfig, maxCost: null, maxDurationSeconds: null }
      : this.#context.runConfig;
    const settings = { ...(await this.#context.compileSettings()), runConfig };
    const { rows } = rates;
    // The rows of a workflow's stage are an estimate.
    const compiling = { wanted: { rows }, selectedRows: place ? undefined : rows, signals };
    const compiled = await compileDeclaration(declared, settings, compiling);
    const { plan, tables, functions } = compiled;
    const ownTools = this.#context.settings.providers.tools.filter((provider) =>
      builtInProviders.tools.includes(provider),
    );
    const { rehearse } = await import('@data-designer/rehearsal/rehearse');
    const rehearsed = await rehearse(plan, {
      rates,
      providers: this.#context.settings.providers.models,
      ownTools: new Set(ownTools.map(({ name }) => name)),
      onEvent,
      ...(place && { place }),
      run: {
        ...this.#context.runOptions(signals),
        mediaRoots: [...this.#context.mediaRoots, ...(place?.mediaRoots ?? [])],
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
    const { onEvent = warnProgram } = options;
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
    const machine = this.#context.machineOptions(options);
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
  #successor(record: FlowRecord, path: string): DataDesigner {
    const designer = new DataDesigner({ ...this.#given, home: this.#context.settings.home });
    designer.#context = this.#context.successor(record, dirname(path));
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
      artifactPath: this.#context.artifactPath,
      home: this.#context.settings.home,
      settings: () => this.#context.runConfig,
      compile: async (declared, { rows, selectedRows, signals, onWarning = () => {} }) => {
        const settings = { ...(await this.#context.compileSettings()), onWarning };
        return compileDeclaration(declared, settings, { wanted: { rows }, selectedRows, signals });
      },
      create: (declared, { place, ...options }) =>
        observeRun(
          { operation: 'create', callLog: options.callLog, stage: place.stage, onEvent: options.onEvent ?? (() => {}) },
          (listeners) => this.#create(declared, { ...options, place }, listeners),
        ),
      rehearse: async (declared, options) => {
        const { rehearsal, sample, compiled } = await this.#rehearse(declared, options);
        return {
          rehearsal,
          compiled,
          results: await this.#context.results(sample, { exported: NOT_EXPORTED, taskTraces: [] }),
        };
      },
      checkAliases: (compiled, signals) => this.#context.checkAliases(compiled, signals),
      openCluster: async (settings, work) => {
        const { openForCluster } = await import('./cluster/open-for-cluster.ts');
        return openForCluster(settings, { ...this.#context.parts, functions: new Map() }, work);
      },
      openThread: (resources) => GatewayThread.shared(joinResources(resources)),
      rejoin: async (failure, { signals, ...options }) => {
        const { rejoin } = await import('./cluster/rejoin-run.ts');
        return (await rejoin(failure, { ...this.#context.machineOptions(signals), ...options })).path;
      },
      load: async (path, options) => {
        const result = await loadRun(path, await this.#context.loadRegistry(), options);
        return this.#context.results(result, { exported: NOT_EXPORTED, taskTraces: [] });
      },
      written: async (config) => writeDataset(config, await this.#context.loadRegistry()),
    };
  }

  async #create<D extends Declared>(
    declared: D,
    options: PlacedOptions,
    listeners: Listeners,
  ): Promise<DatasetCreationResults<RecordOf<D>>> {
    const { datasetName = 'dataset', resume = 'never', format, place } = options;
    const { artifactPath = this.#context.artifactPath, shared } = place ?? {};
    const signals = stopSignals(options);
    const compiled = await this.#compiledFor(declared, options, signals);
    const { plan, config, ...inputs } = compiled;
    const traces = await this.#context.taskTraces(plan);
    await using machines = await openMachines(
      { ...options, ...listeners },
      { ...this.#context.parts, functions: compiled.functions },
      plan,
    );
    const made = (resume === 'if_possible' ? resumeIfPossible : run)(plan, {
      ...this.#context.runOptions(signals),
      ...inputs,
      tables: place?.extendsInput ? inputs.tables.map(extended) : inputs.tables,
      shared,
      mediaRoots: [...this.#context.mediaRoots, ...(place?.mediaRoots ?? [])],
      ends: { ...endSettings(this.#context.runConfig), spentSeconds: place?.spentSeconds ?? 0 },
      artifactPath,
      datasetName,
      resume: resume === 'never' ? 'never' : 'always',
      reRequest: options.reRequest ?? false,
      retryLost: options.retryLost ?? false,
      compact: this.#context.runConfig.compact,
      writeSchedulerEvents: this.#context.runConfig.writeSchedulerEvents,
      // An export format leaves open how the dataset itself is stored.
      format: format !== undefined && isBatchFormat(format) ? format : undefined,
      seed: this.#context.runConfig.seed,
      machines,
      document: {
        data_designer: writeDataset(config, await this.#context.loadRegistry()),
        library_version: packageVersion(),
      },
      ...withTraces(listeners, traces),
    });
    const rejoining = {
      ...this.#context.machineOptions(signals),
      ...listeners,
      registry: await this.#context.loadRegistry(),
    };
    const { functions } = inputs;
    const { run: clusterRun } = machines ?? {};
    const result = await orRejoin(made, { ...rejoining, functions, run: clusterRun, cluster: options.cluster });
    const parts = { exported: await writeExports(result, format), taskTraces: traces?.list() ?? [] };
    return this.#context.results<RecordOf<D>>(result, parts, signals);
  }

  /** Compiles a declaration for the dataset that it continues, if any; a workflow may have compiled its stage. */
  async #compiledFor(
    declared: Declared,
    options: PlacedOptions,
    signals: Required<StopOptions>,
  ): Promise<CompiledStage> {
    const { numRecords = DEFAULT_ROWS, datasetName = 'dataset', resume = 'never', place } = options;
    if (place?.ready) {
      for (const warning of place.ready.warnings) this.#context.settings.onWarning(warning);
      return place.ready.compiled;
    }
    const { artifactPath = this.#context.artifactPath } = place ?? {};
    const prior = resume !== 'never' ? await priorSeed(artifactPath, datasetName) : undefined;
    const isShared = options.cluster !== undefined || place?.cluster !== undefined;
    const settings = { ...(await this.#context.compileSettings()), isShared };
    return compileDeclaration(declared, settings, {
      wanted: { rows: numRecords, prior },
      selectedRows: numRecords,
      signals,
    });
  }

  /**
   * Ends the worker threads within 10 s, unless another `DataDesigner` uses them in this time. If it is not called, the
   * threads wait for the next run of any `DataDesigner`, but do not keep the process alive. Also drops stored seed rows
   * whose source can be read only once.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context[Symbol.asyncDispose]();
  }
}

/** The table of a seed to which rows were added. */
function extended(table: TableSource): TableSource {
  return table.id === SEED_TABLE ? { ...table, extendsPrior: true } : table;
}
