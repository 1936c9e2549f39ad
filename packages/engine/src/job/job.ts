import { type Plan, refuseStopped, type RowGroup } from '@data-designer/core';
import {
  type DatasetFolder,
  DEFAULT_FORMAT,
  openDatasetFolder,
  type PartialGroups,
  type RunRecord,
  takeOverFolder,
  UnusedFolder,
} from '@data-designer/dataset';
import { attemptFigures } from '../attempt-figures.ts';
import { finishDataset, type FinishOptions } from '../commit/finish-dataset.ts';
import { refuseTerminal, replaceDamagedMetadata } from '../commit/process-dataset.ts';
import { endOf } from '../endings/run-ending.ts';
import type { PriorRecord } from '../resume/continue-run.ts';
import type { RequestedRunOptions, RunOptions } from '../run-options.ts';
import type { RunResult } from '../run-result.ts';
import { RunSummary } from '../run-summary.ts';
import { noRows } from './no-rows.ts';
import type { MadeRows, RowSource } from './row-source.ts';

/** An open dataset: its folder is locked, and its plan and what an earlier run left are settled. */
interface OpenedDataset<Options> {
  readonly folder: DatasetFolder;
  /** What removes a new folder again unless rows were begun. */
  readonly unused: UnusedFolder | undefined;
  readonly plan: Plan;
  readonly prior: PriorRecord | undefined;
  readonly summary: RunSummary;
  readonly options: Options;
  readonly startedAt: number;
}

/**
 * The making of one dataset: `openJob`, `make` with a source of rows, `finish`, then `result`. Disposing it gives the
 * folder back, and removes it if nothing began in it.
 */
export class Job<Options extends FinishOptions = RunOptions> implements AsyncDisposable {
  readonly folder: DatasetFolder;
  readonly plan: Plan;
  readonly prior: PriorRecord | undefined;
  /** The totals of the dataset, those of earlier runs included. */
  readonly summary: RunSummary;
  readonly options: Options;
  /** By `performance.now()`. */
  readonly startedAt: number;
  readonly #unused: UnusedFolder | undefined;
  #made: MadeRows | undefined;

  constructor({ folder, unused, plan, prior, summary, options, startedAt }: OpenedDataset<Options>) {
    this.folder = folder;
    this.#unused = unused;
    this.plan = plan;
    this.prior = prior;
    this.summary = summary;
    this.options = options;
    this.startedAt = startedAt;
  }

  /** Keeps the folder from now on. */
  keep(): void {
    this.#unused?.keep();
  }

  /** Has a source make the rows. */
  async make(source: RowSource<this>): Promise<void> {
    this.#made = await source.make(this);
  }

  /**
   * Processes a complete dataset as a whole, merges small files, and brings `metadata.json` up to date. The signal stops it
   * at once; that of the options unless given.
   */
  async finish(signal = this.options.signal): Promise<MadeRows> {
    const made = this.#rows;
    if (!made.isFinal) await finishDataset(this.folder, made, { ...this.options, signal });
    // Rows that were made now may stand in front of others.
    if (this.prior) await (await import('@data-designer/dataset/move-reviews')).moveReviews(this.folder.path);
    return made;
  }

  /** The dataset that was made, and reports its end. Throws the failure of the run, and `run/no-rows` where there is none. */
  result(): RunResult {
    const { folder, options } = this;
    const { plan, summary, ended, failure, selection } = this.#rows;
    if (failure) throw failure;
    if (ended?.code === 'run/aborted') throw ended;
    // A selection that accepted no row has its candidates.
    if (summary.rows === 0 && !(selection && ended)) throw ended ?? noRows(plan, summary);
    const elapsedMs = performance.now() - this.startedAt;
    const attempts = plan.attempts && { attempts: attemptFigures(plan, summary) };
    const { rows, findings } = summary;
    options.onEvent({ type: 'run-end', rows, elapsedMs, ended: endOf(ended), ...findings, ...attempts });
    const { path, name: datasetName, divertedFrom } = folder;
    return { path, datasetName, divertedFrom, isResumed: this.prior !== undefined, plan, summary, ended };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#unused?.[Symbol.asyncDispose]();
    await this.folder[Symbol.asyncDispose]();
  }

  get #rows(): MadeRows {
    if (!this.#made) throw new Error('The job has no rows yet.');
    return this.#made;
  }
}

/** How a dataset is opened and finished. */
type OpenOptions = Omit<FinishOptions, 'format'> &
  Pick<
    RequestedRunOptions,
    'artifactPath' | 'datasetName' | 'resume' | 'retryLost' | 'seed' | 'format' | 'changesSince' | 'machines'
  >;

/**
 * Opens a new dataset, or the one that a resume continues. Throws `run/aborted` if it is stopped already, `dataset/*` for a
 * folder that cannot be used or continued, and changes no file of rows.
 */
export async function openJob<Options extends OpenOptions>(
  fresh: Plan,
  requested: Options,
): Promise<Job<Options & Pick<RunOptions, 'format'>>> {
  refuseStopped(requested);
  const startedAt = performance.now();
  const isResume = requested.resume === 'always';
  const { run: clusterRun, isLost } = requested.machines ?? {};
  const folder = await openDatasetFolder({ ...requested, resume: isResume, clusterRun, isLost });
  const unused = new UnusedFolder(folder.path, {
    wasThere: isResume || folder.isReused,
    parents: folder.madeParents,
  });
  try {
    // A preview has no folder.
    const { reportFolder } = await import('../progress/report-folder.ts');
    await reportFolder(folder, fresh, requested);
    const { planOf } = await import('../resume/continue-run.ts');
    const { plan, prior } = await planOf(fresh, folder, requested);
    const options = { ...requested, format: requested.format ?? prior?.format ?? DEFAULT_FORMAT };
    if (isResume) await replaceDamagedMetadata(folder, prior?.plan ?? plan, options);
    if (prior && requested.retryLost === true) {
      const { refuseRetry } = await import('../resume/retry-lost-rows.ts');
      await refuseRetry(plan, { folder, prior });
    }
    if (prior) await refuseTerminal(folder, plan);
    return new Job({ folder, unused, plan, prior, summary: new RunSummary(), options, startedAt });
  } catch (failure) {
    await unused[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
    throw failure;
  }
}

/** A dataset whose rows other machines make, and whose coordinator is lost. */
interface LostDataset<Options> {
  readonly path: string;
  /** The id of the run on the cluster. */
  readonly run: string;
  readonly record: RunRecord;
  readonly options: Options;
}

/** Opens the dataset of a lost coordinator in its place, while other machines use the folder. */
export async function takeOverJob<Options extends FinishOptions>(lost: LostDataset<Options>): Promise<Job<Options>> {
  const { path, run, record: prior, options } = lost;
  const summary = new RunSummary();
  const startedAt = performance.now();
  const folder = await takeOverFolder(path, run);
  return new Job({ folder, unused: undefined, plan: prior.plan, prior, summary, options, startedAt });
}

/** The row groups that a job has left to make, with the totals of earlier runs added to its summary. */
export async function leftToMake({
  folder,
  plan,
  prior,
  summary,
  options,
}: Pick<
  Job<FinishOptions & Pick<RunOptions, 'reRequest' | 'retryLost'>>,
  'folder' | 'plan' | 'prior' | 'summary' | 'options'
>): Promise<{
  left: readonly RowGroup[];
  partial: PartialGroups;
}> {
  const { groupsLeft } = await import('../resume/continue-run.ts');
  return groupsLeft(plan, { folder, summary, prior, options });
}
