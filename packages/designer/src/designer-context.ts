import { loadPlugins } from '@data-designer/columns';
import {
  type ColumnRegistry,
  joinProviders,
  loadPrices,
  noPrices,
  parseRunConfig,
  readHome,
  type RunConfig,
} from '@data-designer/config';
import { NEVER, type Plan, refuseAddress } from '@data-designer/core';
import {
  builtInModelServers,
  builtInProviders,
  compileDeclaration,
  type CompileSettings,
  type DataDesignerOptions,
  type Declared,
  endSettings,
  isSimulated,
  parseProviders,
  pluginAddress,
  resolveMediaRoots,
  type StopOptions,
  stopSignals,
  type TableOptions,
} from '@data-designer/declaration';
import { type AliasCheck, type RunResult, type TaskTraces, WorkerPool } from '@data-designer/engine';
import type { AnalyseOptions } from '@data-designer/profile';
import { DatasetCreationResults } from '@data-designer/results';
import { RowSpools } from '@data-designer/seeds';
import type { CompiledStage, FlowRecord } from '@data-designer/workflow';
import { warningsOfProgram } from './warn-program.ts';

type Settings = Omit<CompileSettings, 'registry' | 'runConfig'>;

/** The settings of a designer, with the types and threads that its calls share, and the options that follow from them. */
export class DesignerContext implements AsyncDisposable {
  readonly artifactPath: string;
  readonly mediaRoots: readonly string[];
  readonly settings: Settings;
  readonly #pool: WorkerPool;
  #registry: Promise<ColumnRegistry> | undefined;
  runConfig: RunConfig;

  private constructor(
    parts: Pick<DesignerContext, 'artifactPath' | 'mediaRoots' | 'settings' | 'runConfig'>,
    pool: WorkerPool,
  ) {
    this.artifactPath = parts.artifactPath;
    this.mediaRoots = parts.mediaRoots;
    this.settings = parts.settings;
    this.runConfig = parts.runConfig;
    this.#pool = pool;
  }

  /** Reads the home folder and the given files. Throws `config/invalid`, `config/unreadable` or `dataset/no-media-root`. */
  static of(options: DataDesignerOptions, call: string): DesignerContext {
    const { artifactPath = './artifacts', providers = {}, runConfig = {} } = options;
    refuseAddress(artifactPath);
    const home = options.home ?? readHome();
    const { servers, local } = parseProviders(providers, call);
    const mediaRoots = resolveMediaRoots(options.mediaRoots ?? []);
    const settings = {
      plugins: (options.plugins ?? []).map(pluginAddress),
      home,
      providers: joinProviders(servers, home.providers, builtInProviders),
      localTools: local,
      permissions: options.permissions ?? {},
      spools: new RowSpools(),
      priceOf: options.prices === undefined ? noPrices : loadPrices(options.prices),
      onWarning: options.onWarning ?? warningsOfProgram(),
    };
    const parts = {
      artifactPath,
      mediaRoots,
      settings,
      runConfig: parseRunConfig(runConfig, 'The run config', 'camel'),
    };
    return new DesignerContext(parts, new WorkerPool());
  }

  /** The context for the workflow of a lost coordinator: its settings, with the providers of this machine. */
  successor({ runConfig, home, prices }: FlowRecord, artifactPath: string): DesignerContext {
    const ownHome = { ...this.settings.home, ...home };
    const priceOf: Settings['priceOf'] = (provider, model) => prices[`${provider}/${model}`];
    const settings = { ...this.settings, home: ownHome, priceOf };
    return new DesignerContext({ artifactPath, mediaRoots: this.mediaRoots, settings, runConfig }, this.#pool);
  }

  /** The results of a run. */
  async results<Row>(
    result: RunResult,
    parts: Pick<ConstructorParameters<typeof DatasetCreationResults>[1], 'exported' | 'taskTraces'>,
    signals: Required<StopOptions> = stopSignals({}),
  ): Promise<DatasetCreationResults<Row>> {
    const simulated = isSimulated(result.plan, this.settings.providers);
    return new DatasetCreationResults<Row>(result, {
      ...parts,
      simulated,
      analyseOptions: await this.analyseOptions(signals),
    });
  }

  /** The types of columns, processors and seeds, including plug-ins; throws `plugin/unusable`. */
  loadRegistry(): Promise<ColumnRegistry> {
    return (this.#registry ??= loadPlugins(this.settings.plugins));
  }

  /** The options to profile results with; a drained run can still be profiled. */
  async analyseOptions({ signal }: Required<StopOptions>): Promise<AnalyseOptions> {
    const servers = { providers: this.settings.providers, modelServers: builtInModelServers };
    return { registry: await this.loadRegistry(), probe: { ...servers, signal, drain: NEVER } };
  }

  /** The traces of the tasks of a run; undefined if nobody wants them, so that nothing is collected. */
  async taskTraces(plan: Plan): Promise<TaskTraces | undefined> {
    const isWanted = this.runConfig.asyncTrace || process.env['DATA_DESIGNER_ASYNC_TRACE'] === '1';
    if (!isWanted) return undefined;
    const { TaskTraces: Traces } = await import('@data-designer/engine/task-traces');
    return new Traces(plan);
  }

  /** Sends a small request to every alias of a plan. */
  async checkAliases(
    { plan, skippedProbes: skipped }: { readonly plan: Plan; readonly skippedProbes: ReadonlyMap<string, string> },
    signals: Required<StopOptions>,
  ): Promise<readonly AliasCheck[]> {
    const { checkAliases } = await import('@data-designer/engine/check-aliases');
    return checkAliases(plan, { ...this.runOptions(signals), skipped });
  }

  /** The code that runs of this designer call, but for the functions of a config, and what their cells may read. */
  get parts() {
    const { plugins, localTools, permissions } = this.settings;
    return { plugins, localTools, mediaRoots: this.mediaRoots, allowPrivate: permissions.privateAddresses ?? false };
  }

  /** The options of a machine that joins a run, which brings its limits with it. */
  machineOptions(signals: StopOptions) {
    const { admission: _a, ends: _e, maxConcurrentRowGroups: _m, ...machine } = this.runOptions(stopSignals(signals));
    return { ...machine, ...this.parts };
  }

  /** The options of every run. */
  runOptions(signals: Required<StopOptions>) {
    return {
      providers: this.settings.providers,
      localTools: this.settings.localTools,
      modelServers: builtInModelServers,
      pool: this.#pool,
      maxConcurrentRowGroups: this.runConfig.maxConcurrentRowGroups,
      mediaRoots: this.mediaRoots,
      admission: this.runConfig.requestAdmission,
      maxToolServers: this.runConfig.maxToolServers,
      ends: endSettings(this.runConfig),
      allowPrivate: this.settings.permissions.privateAddresses ?? false,
      ...signals,
    };
  }

  /** What a declaration is compiled with. */
  async compileSettings(): Promise<CompileSettings> {
    return { ...this.settings, registry: await this.loadRegistry(), runConfig: this.runConfig };
  }

  /** Compiles a declaration for the rows that are wanted. */
  async compile(
    declared: Declared,
    wanted: NonNullable<TableOptions['run']>,
    signals: Required<StopOptions>,
  ): Promise<CompiledStage> {
    return compileDeclaration(declared, await this.compileSettings(), { wanted, signals });
  }

  /** Ends the worker threads, and drops stored seed rows. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
    await this.settings.spools[Symbol.asyncDispose]();
  }
}
