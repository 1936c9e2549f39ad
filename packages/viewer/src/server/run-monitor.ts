import { hostname } from 'node:os';
import { fieldsOf, isFailure, isFields, type Plan, rowGroups, rowsIn } from '@data-designer/core';
import {
  type DatasetPaths,
  type DatasetRows,
  markedGroups,
  readJsonFile,
  readSelection,
  refuseLocked,
  stampText,
} from '@data-designer/dataset';
import type { RateSample, RunningProgress } from '@data-designer/engine';
import type { LiveFigures, RunState } from '../api/overview.ts';
import { StampedValue } from './stamped-value.ts';

/** A run on another host counts as dead if it has not reported for so long. */
const SILENT_MS = 15_000;

/** The dataset that a run makes. */
interface WatchedDataset {
  readonly paths: DatasetPaths;
  readonly plan: () => Promise<{ readonly plan: Plan }>;
  readonly currentRows: () => Promise<DatasetRows>;
}

/** Watches the run of a dataset: whether its process is at work, and its progress over time. */
export class RunMonitor {
  readonly #dataset: WatchedDataset;
  readonly #rates = new StampedValue<readonly RateSample[]>();

  constructor(dataset: WatchedDataset) {
    this.#dataset = dataset;
  }

  /** The figures as they are now. Throws `dataset/missing` and `dataset/damaged`. */
  async figures(): Promise<LiveFigures> {
    const { plan } = await this.#dataset.plan();
    const running = await this.#progress();
    const rows = await this.#dataset.currentRows();
    const state = await this.#state(running);
    return {
      state,
      version: rows.version,
      rows: rows.total,
      wanted: rowsIn(plan.segments),
      progress: running?.snapshot ?? null,
      // Earlier versions report none.
      history: (running ? running.history : await this.#ratesOfLastRun()) ?? [],
      process: running
        ? { pid: running.pid, host: running.host, startedAt: running.startedAt, reportedAt: running.writtenAt }
        : null,
    };
  }

  async #state(running: RunningProgress | undefined): Promise<RunState> {
    const isElsewhere = running !== undefined && running.host !== hostname();
    if (isElsewhere) return Date.now() - Date.parse(running.writtenAt) < SILENT_MS ? 'running' : 'dead';
    const isLocked = await refuseLocked(this.#dataset.paths.lock).then(
      () => false,
      (thrown: unknown) => isFailure(thrown, 'dataset/locked'),
    );
    if (isLocked) return 'running';
    if (running) return 'dead';
    return (await this.#isFinished()) ? 'finished' : 'unfinished';
  }

  async #isFinished(): Promise<boolean> {
    const { plan } = await this.#dataset.plan();
    const { paths } = this.#dataset;
    const rows = await this.#dataset.currentRows();
    const wanted = rowsIn(plan.segments);
    if (rows.total >= wanted) return true;
    if (plan.select) return ((await readSelection(paths.metadata))?.finished_for ?? 0) >= wanted;
    const { post_generation_state: ending } = fieldsOf(await readJsonFile(paths.metadata).catch(() => undefined));
    if (ending === 'complete') return true;
    if ((await markedGroups(paths)).length > 0) return false;
    const made = rows.files.reduce((sum, { first, last }) => sum + last - first + 1, 0);
    return made >= [...rowGroups(plan)].length;
  }

  async #ratesOfLastRun(): Promise<readonly RateSample[]> {
    const { rates } = this.#dataset.paths;
    return this.#rates.get((await stampText(rates)) ?? '', async () => {
      const written = await readJsonFile(rates, { exact: false }).catch(() => undefined);
      return Array.isArray(written) ? written : [];
    });
  }

  async #progress(): Promise<RunningProgress | undefined> {
    const { progress } = this.#dataset.paths;
    const written = await readJsonFile(progress, { exact: false }).catch(() => undefined);
    return isProgress(written) ? written : undefined;
  }
}

function isProgress(value: unknown): value is RunningProgress {
  if (!isFields(value)) return false;
  const { pid, host, writtenAt, snapshot } = value;
  return typeof pid === 'number' && typeof host === 'string' && typeof writtenAt === 'string' && isFields(snapshot);
}
