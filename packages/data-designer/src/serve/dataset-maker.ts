import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from '@data-designer/core';
import type { RunEvent } from '@data-designer/engine';
import type { Declaration } from '../declaration/declaration.ts';
import { simulatedProviders } from '../built-in-providers.ts';
import { DataDesigner } from '../data-designer.ts';
import type { ResumeMode } from '../data-designer-options.ts';
import type { PreviewResults } from '../records/preview-results.ts';
import { Job } from './job.ts';
import { refusedCall } from './refused-call.ts';
import type { ServeSettings } from './serve-settings.ts';
import { RunSpending } from './run-spending.ts';
import { SpendingLimit } from './spending-limit.ts';
import { storedState } from './stored-datasets.ts';

/** What is to be made. */
export interface Wanted {
  readonly declaration: Declaration;
  readonly numRecords: number;
  readonly seed?: number | undefined;
  /** Of what the server may spend, what this may. */
  readonly maxCost?: number | undefined;
}

/** A dataset that is to be made. */
export interface WantedDataset extends Wanted {
  readonly name: string;
  /** Whether the dataset of this name is gone on with. */
  readonly resume: ResumeMode;
  /** Whether answers that no longer fit what is asked are bought again. */
  readonly rebuy?: boolean;
}

/** What is to be made, of a name where it is a dataset. */
type WantedRun = Wanted & Partial<Pick<WantedDataset, 'name' | 'resume'>>;

/** Runs at a time: each has threads of its own. */
const MAX_RUNS = 4;
/** How long the beginning of a dataset is waited for: models are asked what they can do first. */
const START_WAIT_MS = 40_000;
/** Jobs that are over and are still told of. */
const MAX_ENDED_JOBS = 200;

/** Makes previews and datasets for the clients of a server, within what it may spend. */
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

  /** Whether what is made here must cost no more than a bound. */
  get hasBudget(): boolean {
    return this.#limit.isBounded;
  }

  /** The jobs since the server runs, the latest first. */
  get jobs(): readonly Job[] {
    return this.#jobs;
  }

  /** What is known of a declaration; nothing is asked or written. */
  async check(declaration: Declaration): ReturnType<DataDesigner['check']> {
    await using designer = this.#designer();
    return await designer.check(declaration);
  }

  /** Makes a few records in memory, until they are there or the signal is aborted. */
  async preview(wanted: Wanted, signal: AbortSignal): Promise<PreviewResults> {
    this.#refuseIfBusy();
    this.#previews++;
    try {
      const { declaration, numRecords } = wanted;
      const signals = { signal: AbortSignal.any([signal, this.#closing.signal]) };
      return await this.#within(wanted, (designer, onEvent) =>
        designer.preview(declaration, { numRecords, ...signals, onEvent }),
      );
    } finally {
      this.#previews--;
    }
  }

  /** Begins a dataset and gives its job once there is a folder, or after a while; rejects with why there is none. */
  async start(wanted: WantedDataset): Promise<Job> {
    const { declaration, numRecords, resume, rebuy = false } = wanted;
    const datasetName = resume === 'never' ? this.#freeName(wanted.name) : wanted.name;
    this.#refuseIfBusy();
    const job = new Job(
      (options) =>
        this.#within(wanted, (designer, onEvent) =>
          designer.create(declaration, {
            ...options,
            numRecords,
            datasetName,
            resume,
            rebuy,
            onEvent: (event) => {
              onEvent(event);
              options.onEvent(event);
            },
          }),
        ),
      { name: datasetName, requested: numRecords, resume: resume === 'always' },
    );
    this.#jobs = [job, ...this.#jobs].filter(({ isOver }, at) => !isOver || at < MAX_ENDED_JOBS);
    await Promise.race([job.begun, sleep(START_WAIT_MS, undefined, { ref: false })]);
    if (!job.failure) return job;
    this.#jobs = this.#jobs.filter((one) => one !== job);
    throw job.failure;
  }

  /**
   * The latest job of a dataset: by the name of its folder, or by the name that was asked for while nothing else stands
   * under that.
   */
  async find(dataset: string): Promise<Job | undefined> {
    const found = this.#jobs.find((job) => job.isOf(dataset));
    if (found || (await storedState(this.settings.artifactPath, dataset))) return found;
    return this.#jobs.find(({ state, name }) => state.folder === null && name === dataset);
  }

  /** Begins nothing more, and waits until every run has come to its end; what was begun can be gone on with. */
  async drain(reason: string): Promise<void> {
    this.#closing.abort(new Error(reason));
    for (const job of this.#jobs) job.drain(reason);
    await Promise.all(this.#jobs.map(({ ended }) => ended));
  }

  /** Ends every run at once; what was received is kept. */
  stop(reason: string): void {
    for (const job of this.#jobs) job.stop(reason);
  }

  /** A name that no run under way has taken: two that begin at once would want the same folder. */
  #freeName(name: string): string {
    const taken = new Set(this.#jobs.flatMap((job) => (job.isOver ? [] : [job.name])));
    let free = name;
    for (let copy = 2; taken.has(free); copy++) free = `${name}_${copy}`;
    return free;
  }

  #refuseIfBusy(): void {
    if (this.#closing.signal.aborted) throw refusedCall('This server is about to end.');
    const running = this.#jobs.filter(({ isOver }) => !isOver).length + this.#previews;
    if (running < MAX_RUNS) return;
    throw refusedCall(
      `${running} runs are under way, and more would slow each other down: wait for one, or cancel it.`,
    );
  }

  /** Does work with what it may spend set aside, and gives back what was not spent. */
  async #within<Result>(
    wanted: WantedRun,
    work: (designer: DataDesigner, onEvent: (event: RunEvent) => void) => Promise<Result>,
  ): Promise<Result> {
    const { runConfig = {} } = this.settings.common;
    const bounds = [wanted.maxCost, runConfig.maxCost].filter((bound) => typeof bound === 'number');
    const bound = bounds.length > 0 ? Math.min(...bounds) : undefined;
    if (!this.hasBudget) {
      await using designer = this.#designer(wanted.seed, bound);
      return await work(designer, () => {});
    }
    const spending = await this.#spendingOf(wanted);
    // A dataset that is gone on with may have cost something: a max_cost is of all of it, what is set aside of this run.
    const reservation = this.#limit.reserve(bound === undefined ? undefined : Math.max(0, bound - spending.before));
    const before = wanted.resume === 'always' ? spending.before : 0;
    try {
      await using designer = this.#designer(wanted.seed, before + (reservation.amount ?? 0));
      return await work(designer, (event) => spending.take(event));
    } finally {
      reservation.settle(await spending.spent());
    }
  }

  /** Follows what a run spends on models that have a price. */
  async #spendingOf(wanted: WantedRun): Promise<RunSpending> {
    // There is a bound, whatever it will be.
    await using designer = this.#designer(wanted.seed, Number.MAX_VALUE);
    const models = await this.#pricedModels(wanted, designer);
    const { resume = 'never', name } = wanted;
    const isNew = resume === 'never' || name === undefined;
    return RunSpending.begin(models, isNew ? undefined : resolve(this.settings.artifactPath, name));
  }

  #designer(seed?: number, maxCost?: number): DataDesigner {
    const { common, artifactPath } = this.settings;
    const more = { ...(seed === undefined ? {} : { seed }), ...(maxCost === undefined ? {} : { maxCost }) };
    return new DataDesigner({ ...common, artifactPath, runConfig: { ...common.runConfig, ...more } });
  }

  /** The models in use; a budget can only be kept where each has a price, and the built-in ones ask for none. */
  async #pricedModels({ declaration, numRecords }: Wanted, designer: DataDesigner): Promise<Plan['models']> {
    const { models, resources } = await designer.validate(declaration, { numRecords });
    const free = simulatedProviders({ models: this.settings.common.providers?.models ?? [] });
    const providerOf = new Map(resources.map(({ id, provider }) => [id, provider]));
    const paid = Object.values(models).filter(({ resource }) => !free.has(providerOf.get(resource) ?? ''));
    const unpriced = paid.filter(({ pricing }) => pricing === null);
    if (unpriced.length === 0) return Object.fromEntries(paid.map((model) => [model.alias, model]));
    const named = unpriced.map(({ alias, model }) => `'${alias}' (${model})`).join(', ');
    throw refusedCall(
      `This server has a budget, and it is not known what these models cost: ${named}. Its user can say so with --prices.`,
    );
  }
}
