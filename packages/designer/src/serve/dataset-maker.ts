import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunSettings } from '@data-designer/config';
import type { Plan, Violation } from '@data-designer/core';
import type { RunEvent } from '@data-designer/engine';
import {
  type DataDesignerOptions,
  type Declaration,
  DEFAULT_ROWS,
  type OptionsOf,
  simulatedProviders,
} from '@data-designer/declaration';
import { DataDesigner } from '../data-designer.ts';
import type { PreviewResults } from '@data-designer/results';
import { Job } from './job.ts';
import { refusedCall } from './refused-call.ts';
import { RunSpending } from './run-spending.ts';
import { RunWarnings } from './run-warnings.ts';
import { SpendingLimit } from './spending-limit.ts';
import { storedState } from './stored-datasets.ts';

/** The settings of the server, and its limits for clients. */
export interface ServeSettings {
  /** Providers, home folder, run settings, prices and permissions, as for any run. */
  readonly common: Omit<DataDesignerOptions, 'artifactPath'>;
  /** The parent folder of the datasets. */
  readonly artifactPath: string;
  /** The maximum number of records per call. */
  readonly maxRecords: number;
  /** The maximum total cost of everything that clients make; unlimited if undefined. */
  readonly maxCost?: number | undefined;
}

/** A requested dataset, or preview. */
export interface RecordsRequest {
  readonly declaration: Declaration;
  readonly options: OptionsOf<'create'>;
  readonly settings: RunSettings;
}

/** A request for a run. */
interface RunRequest extends RecordsRequest {
  /** Where the warnings of the run are collected. */
  readonly warnings: RunWarnings;
}

/** The records of a preview. */
interface Preview {
  readonly results: PreviewResults;
  readonly warnings: readonly string[];
}

/** The maximum number of concurrent runs: each has its own threads. */
const MAX_RUNS = 4;
/** How long to wait for the start of a dataset, which probes models first. */
const START_WAIT_MS = 40_000;
/** The number of jobs after which ended ones are forgotten. */
const MAX_ENDED_JOBS = 200;

/** Makes previews and datasets for the clients of a server, within its budget. */
export class DatasetMaker {
  readonly settings: ServeSettings;
  readonly #limit: SpendingLimit;
  readonly #closing = new AbortController();
  #jobs: readonly Job[] = [];
  #previews = 0;

  constructor(settings: ServeSettings) {
    this.settings = settings;
    this.#limit = new SpendingLimit(settings.maxCost);
  }

  /** Whether the total cost is limited. */
  get hasBudget(): boolean {
    return this.#limit.isBounded;
  }

  /** The jobs of this server, the latest first. */
  get jobs(): readonly Job[] {
    return this.#jobs;
  }

  /** Checks a declaration without requests or files. */
  async check(declaration: Declaration): ReturnType<DataDesigner['check']> {
    await using designer = this.#designer();
    return await designer.check(declaration);
  }

  /** Makes a few records in memory; the signal stops it. */
  async preview(request: RecordsRequest, signal: AbortSignal): Promise<Preview> {
    this.#refuseIfBusy();
    this.#previews++;
    const warnings = this.#warnings();
    try {
      const { declaration, options } = request;
      const { numRecords } = options;
      const signals = { signal: AbortSignal.any([signal, this.#closing.signal]) };
      const results = await this.#withinBudget({ ...request, warnings }, (designer, onEvent) =>
        designer.preview(declaration, { numRecords, ...signals, onEvent }),
      );
      warnings.addFindings(results);
      return { results, warnings: warnings.texts };
    } finally {
      this.#previews--;
    }
  }

  /** Starts a dataset and returns its job once it has a folder, or after `START_WAIT_MS`; rejects if the start fails. */
  async start(request: RecordsRequest): Promise<Job> {
    const { declaration, options: asked } = request;
    const { numRecords = DEFAULT_ROWS, datasetName: wanted = 'dataset', resume = 'never' } = asked;
    const datasetName = resume === 'never' ? this.#freeName(wanted) : wanted;
    this.#refuseIfBusy();
    const warnings = this.#warnings();
    const job = new Job(
      (options) =>
        this.#withinBudget({ ...request, warnings }, (designer, onEvent) =>
          designer.create(declaration, {
            ...options,
            ...asked,
            datasetName,
            onEvent: (event) => {
              onEvent(event);
              options.onEvent(event);
            },
          }),
        ),
      { name: datasetName, requested: numRecords, resume: resume === 'always', warnings },
    );
    this.#jobs = [job, ...this.#jobs].filter(({ hasEnded }, at) => !hasEnded || at < MAX_ENDED_JOBS);
    await Promise.race([job.started, sleep(START_WAIT_MS, undefined, { ref: false })]);
    if (!job.failure) return job;
    this.#jobs = this.#jobs.filter((one) => one !== job);
    throw job.failure;
  }

  /**
   * The latest job of a dataset: by the name of its folder, or by the requested name if no folder has that name.
   */
  async find(dataset: string): Promise<Job | undefined> {
    const found = this.#jobs.find((job) => job.isOf(dataset));
    if (found || (await storedState(this.settings.artifactPath, dataset))) return found;
    return this.#jobs.find(({ state, name }) => state.folder === null && name === dataset);
  }

  /** Refuses new runs and waits until every run has ended; their datasets can be resumed. */
  async drain(reason: string): Promise<void> {
    this.#closing.abort(new Error(reason));
    for (const job of this.#jobs) job.drain(reason);
    await Promise.all(this.#jobs.map(({ ended }) => ended));
  }

  /** Stops every run at once; received answers are kept. */
  stop(reason: string): void {
    for (const job of this.#jobs) job.stop(reason);
  }

  /** A name that no active run has: two that start at once would use the same folder. */
  #freeName(name: string): string {
    const taken = new Set(this.#jobs.flatMap((job) => (job.hasEnded ? [] : [job.name])));
    let free = name;
    for (let copy = 2; taken.has(free); copy++) free = `${name}_${copy}`;
    return free;
  }

  #refuseIfBusy(): void {
    if (this.#closing.signal.aborted) throw refusedCall('This server is shutting down.');
    const running = this.#jobs.filter(({ hasEnded }) => !hasEnded).length + this.#previews;
    if (running < MAX_RUNS) return;
    throw refusedCall(`${running} runs are active, the maximum of this server. Wait for one to end, or cancel it.`);
  }

  /** Reserves the budget of a run before it, and returns the unspent part after it. */
  async #withinBudget<Result>(
    request: RunRequest,
    work: (designer: DataDesigner, onEvent: (event: RunEvent) => void) => Promise<Result>,
  ): Promise<Result> {
    const { runConfig = {} } = this.settings.common;
    const limits = [request.settings.maxCost, runConfig.maxCost].filter((limit) => typeof limit === 'number');
    const limit = limits.length > 0 ? Math.min(...limits) : undefined;
    const { settings, warnings } = request;
    if (!this.hasBudget) {
      await using designer = this.#designer(limit === undefined ? settings : { ...settings, maxCost: limit }, warnings);
      return await work(designer, (event) => warnings.addEvent(event));
    }
    const spending = await this.#spendingOf(request);
    // max_cost limits a continued dataset as a whole, including earlier runs; the reservation is for this run only.
    const reservation = this.#limit.reserve(limit === undefined ? undefined : Math.max(0, limit - spending.before));
    const before = request.options.resume === 'always' ? spending.before : 0;
    try {
      await using designer = this.#designer({ ...settings, maxCost: before + (reservation.amount ?? 0) }, warnings);
      const result = await work(designer, (event) => {
        spending.take(event);
        warnings.addEvent(event);
      });
      spending.succeed();
      return result;
    } finally {
      reservation.settle(await spending.spent());
    }
  }

  /** Starts to measure the spending of a run. */
  async #spendingOf(request: RunRequest): Promise<RunSpending> {
    // Any limit makes validation require prices.
    await using designer = this.#designer({ ...request.settings, maxCost: Number.MAX_VALUE });
    const models = await this.#pricedModels(request, designer);
    const { resume = 'never', datasetName: name } = request.options;
    const isNew = resume === 'never' || name === undefined;
    return RunSpending.begin(models, isNew ? undefined : resolve(this.settings.artifactPath, name));
  }

  #warnings(): RunWarnings {
    return new RunWarnings(this.settings.common.home?.warnings);
  }

  #designer(settings: RunSettings = {}, warnings?: RunWarnings): DataDesigner {
    const { common, artifactPath } = this.settings;
    const onWarning = (warning: Violation): void => {
      common.onWarning?.(warning);
      warnings?.addViolation(warning);
    };
    return new DataDesigner({ ...common, artifactPath, onWarning, runConfig: { ...common.runConfig, ...settings } });
  }

  /** The models in use that cost something. A budget requires a price of each; simulated models are free. */
  async #pricedModels({ declaration }: RecordsRequest, designer: DataDesigner): Promise<Plan['models']> {
    const { models, resources } = await designer.validate(declaration);
    const free = simulatedProviders({ models: this.settings.common.providers?.models ?? [] });
    const providerOf = new Map(resources.map(({ id, provider }) => [id, provider]));
    const paid = Object.values(models).filter(({ resource }) => !free.has(providerOf.get(resource) ?? ''));
    const unpriced = paid.filter(({ pricing }) => pricing === null);
    if (unpriced.length === 0) return Object.fromEntries(paid.map((model) => [model.alias, model]));
    const named = unpriced.map(({ alias, model }) => `'${alias}' (${model})`).join(', ');
    throw refusedCall(
      `This server has a budget, and these models have no known price: ${named}. The server's user can set it with --prices.`,
    );
  }
}
