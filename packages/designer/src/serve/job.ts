import { basename } from 'node:path';
import { z } from 'zod';
import { DataDesignerError } from '@data-designer/core';
import type { RunEnd, RunEvent } from '@data-designer/engine';
import type { CreateOptions } from '@data-designer/declaration';
import type { DatasetCreationResults } from '@data-designer/results';
import type { RunWarnings } from './run-warnings.ts';

/** The state of a dataset as tools return it. */
export const datasetState = z.object({
  dataset: z.string().describe('The name of its folder, which identifies it in the other tools.'),
  folder: z.string().nullable().describe('Its folder; null before it has started.'),
  status: z
    .enum(['starting', 'running', 'stopping', 'complete', 'stopped', 'failed', 'unfinished'])
    .describe('Stopped, failed and unfinished datasets can be resumed.'),
  records: z.int().describe('Records made so far; during a run this includes records that cannot be read yet.'),
  requested: z.int().describe('Records requested in all.'),
  lost: z
    .array(z.object({ rows: z.int(), column: z.string(), message: z.string() }))
    .describe('Why rows are missing, for the runs of this server.'),
  warnings: z
    .array(z.string())
    .describe(
      'What is not as it was asked for, for the runs of this server: in the config, in the run, and failed cells, failed tool calls and answers with flaws in the records.',
    ),
  cost: z.number().nullable().describe('The cost of the answers; null if unknown.'),
  seconds_left: z.number().nullable().describe('The estimated time left at the recent rate; null if unknown.'),
  error: z.string().nullable().describe('Why it failed or was stopped; null otherwise.'),
});

export type DatasetState = z.output<typeof datasetState>;

type Make = (options: Required<Pick<CreateOptions, 'signal' | 'drain' | 'onEvent'>>) => Promise<DatasetCreationResults>;

/** The dataset that a job makes. */
interface RequestedDataset {
  readonly name: string;
  readonly requested: number;
  /** Whether it continues the dataset of this name, so that its folder is known. */
  readonly resume: boolean;
  readonly warnings: RunWarnings;
}

/** The run of a dataset on this server, active or ended. */
export class Job {
  /** The requested name; the folder's name may have a time added. */
  readonly name: string;
  /** Resolves once the dataset has a folder, or the job has ended. */
  readonly started: Promise<void>;
  /** Resolves when the job has ended, with success or failure. */
  readonly ended: Promise<void>;
  /** Why it failed before it had a folder. */
  failure: DataDesignerError | undefined;
  readonly #drain = new AbortController();
  readonly #stop = new AbortController();
  readonly #resumes: boolean;
  readonly #warnings: RunWarnings;
  readonly #start = Promise.withResolvers<void>();
  #state: DatasetState;
  /** Records in files. */
  #committed = 0;

  constructor(make: Make, { name, requested, resume, warnings }: RequestedDataset) {
    this.name = name;
    this.#warnings = warnings;
    this.#resumes = resume;
    const nothing = { folder: null, records: 0, lost: [], warnings: [], cost: null, seconds_left: null, error: null };
    this.#state = { dataset: name, status: 'starting', requested, ...nothing };
    this.started = this.#start.promise;
    this.ended = this.#run(make).finally(() => this.#start.resolve());
  }

  get state(): DatasetState {
    return { ...this.#state, warnings: [...this.#warnings.texts] };
  }

  /** Whether it makes the dataset of this name; before it has a folder, the requested name may be another dataset's. */
  isOf(dataset: string): boolean {
    return this.#state.dataset === dataset && (this.#resumes || this.#state.folder !== null);
  }

  get hasEnded(): boolean {
    return ['complete', 'stopped', 'failed'].includes(this.#state.status);
  }

  /** Sends no new requests and waits for open ones; the dataset can be resumed. */
  drain(reason: string): void {
    if (!this.hasEnded) this.#change({ status: 'stopping' });
    this.#drain.abort(new Error(reason));
  }

  /** Stops at once; received answers are kept. */
  stop(reason: string): void {
    this.#stop.abort(new Error(reason));
  }

  async #run(make: Make): Promise<void> {
    const signals = { signal: this.#stop.signal, drain: this.#drain.signal };
    try {
      const results = await make({ ...signals, onEvent: (event) => this.#take(event) });
      const { path, datasetName, count, requested, cost, lost, ended } = results;
      const made = { dataset: datasetName, folder: path, records: count, requested, cost, seconds_left: null };
      const end = ended
        ? ({ status: 'stopped', error: printError(ended) } as const)
        : ({ status: 'complete' } as const);
      this.#warnings.addFindings(results);
      this.#warnings.addLostRows(results);
      this.#change({ ...made, ...end, lost: lost.map(toLoss) });
    } catch (thrown) {
      const failure = DataDesignerError.fromUnknown(thrown);
      if (this.#state.folder === null) this.failure = failure;
      const status = failure.code === 'run/aborted' ? 'stopped' : 'failed';
      this.#change({ records: this.#committed, seconds_left: null, status, error: printError(failure) });
    }
  }

  #take(event: RunEvent): void {
    if (event.type === 'run-start') {
      const { path, rows, rowsDone } = event;
      const status = this.#state.status === 'starting' ? 'running' : this.#state.status;
      this.#change({ dataset: basename(path), folder: path, requested: rows, records: rowsDone, status });
      this.#committed = rowsDone;
      this.#start.resolve();
    } else if (event.type === 'progress') {
      const { rows, cost, etaSeconds } = event.snapshot;
      this.#change({ records: rows.done, cost: cost.soFar, seconds_left: etaSeconds && Math.ceil(etaSeconds) });
    } else if (event.type === 'row-group-end') {
      const lost = [...this.#state.lost, ...event.lost.map(toLoss)];
      this.#committed += event.rows;
      this.#change({ lost: lost.slice(0, MAX_LOST_REASONS) });
    }
  }

  #change(changes: Partial<DatasetState>): void {
    this.#state = { ...this.#state, ...changes };
  }
}

/** The maximum number of reasons in a state. */
const MAX_LOST_REASONS = 20;

function printError({ code, message }: RunEnd): string {
  return `[${code}] ${message}`;
}

function toLoss({ rows, column, message }: DatasetState['lost'][number]): DatasetState['lost'][number] {
  return { rows, column, message };
}
