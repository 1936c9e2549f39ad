import { basename } from 'node:path';
import { z } from 'zod';
import { DataDesignerError } from '@data-designer/core';
import type { RunEnd, RunEvent } from '@data-designer/engine';
import type { CreateOptions } from '../data-designer-options.ts';
import type { DatasetCreationResults } from '../records/dataset-creation-results.ts';

/** A dataset as clients are told of it. */
export const datasetState = z.object({
  dataset: z.string().describe('The name of its folder, by which the other tools know it.'),
  folder: z.string().nullable().describe('Where it stands; null before it is begun.'),
  status: z
    .enum(['starting', 'running', 'stopping', 'complete', 'stopped', 'failed', 'unfinished'])
    .describe('Stopped, failed and unfinished ones can be gone on with.'),
  records: z.int().describe('Records made so far; while it runs, also those that cannot be read yet.'),
  requested: z.int().describe('Records wanted in all.'),
  lost: z
    .array(z.object({ rows: z.int(), column: z.string(), message: z.string() }))
    .describe('Why rows are missing, as far as this server made them.'),
  cost: z.number().nullable().describe('What the answers cost; null where it is not known.'),
  seconds_left: z.number().nullable().describe('Until its end, at the rate of late; null where nothing is known.'),
  error: z.string().nullable().describe('Why it failed or was stopped.'),
});

export type DatasetState = z.output<typeof datasetState>;

type Make = (options: Required<Pick<CreateOptions, 'signal' | 'drain' | 'onEvent'>>) => Promise<DatasetCreationResults>;

/** What a job is to make. */
interface Requested {
  readonly name: string;
  readonly requested: number;
  /** Goes on with the dataset of this name, so that its folder can be no other. */
  readonly resume: boolean;
}

/** A dataset that is being made, or was, since this server runs. */
export class Job {
  /** The name that was asked for; that of the folder may have a time added. */
  readonly name: string;
  /** Resolves once the dataset has a folder, or the job is over. */
  readonly begun: Promise<void>;
  /** Resolves when the job is over, however it went. */
  readonly ended: Promise<void>;
  /** Why it ended before it had a folder: nothing of it is left. */
  failure: DataDesignerError | undefined;
  readonly #drain = new AbortController();
  readonly #stop = new AbortController();
  readonly #resumes: boolean;
  readonly #hasBegun = Promise.withResolvers<void>();
  #state: DatasetState;
  /** Records that stand in files. */
  #committed = 0;

  constructor(make: Make, { name, requested, resume }: Requested) {
    this.name = name;
    this.#resumes = resume;
    const nothing = { folder: null, records: 0, lost: [], cost: null, seconds_left: null, error: null };
    this.#state = { dataset: name, status: 'starting', requested, ...nothing };
    this.begun = this.#hasBegun.promise;
    this.ended = this.#run(make).finally(() => this.#hasBegun.resolve());
  }

  get state(): DatasetState {
    return this.#state;
  }

  /** Whether it makes the dataset of this name: what was asked for may be the name of another. */
  isOf(dataset: string): boolean {
    return this.#state.dataset === dataset && (this.#resumes || this.#state.folder !== null);
  }

  get isOver(): boolean {
    return ['complete', 'stopped', 'failed'].includes(this.#state.status);
  }

  /** Asks for nothing more and waits for the answers under way; the dataset can be gone on with. */
  drain(reason: string): void {
    if (!this.isOver) this.#change({ status: 'stopping' });
    this.#drain.abort(new Error(reason));
  }

  /** Ends at once; what was received is kept. */
  stop(reason: string): void {
    this.#stop.abort(new Error(reason));
  }

  async #run(make: Make): Promise<void> {
    const signals = { signal: this.#stop.signal, drain: this.#drain.signal };
    try {
      const results = await make({ ...signals, onEvent: (event) => this.#take(event) });
      const { path, datasetName, count, requested, cost, lost, ended } = results;
      const made = { dataset: datasetName, folder: path, records: count, requested, cost, seconds_left: null };
      const end = ended ? ({ status: 'stopped', error: said(ended) } as const) : ({ status: 'complete' } as const);
      this.#change({ ...made, ...end, lost: lost.map(told) });
    } catch (thrown) {
      const failure = DataDesignerError.fromUnknown(thrown);
      if (this.#state.folder === null) this.failure = failure;
      const status = failure.code === 'run/aborted' ? 'stopped' : 'failed';
      const kept = { records: this.#committed, seconds_left: null };
      this.#change({ ...kept, status, error: said(failure) });
    }
  }

  #take(event: RunEvent): void {
    if (event.type === 'run-start') {
      const { path, rows, rowsDone } = event;
      const status = this.#state.status === 'starting' ? 'running' : this.#state.status;
      this.#change({ dataset: basename(path), folder: path, requested: rows, records: rowsDone, status });
      this.#committed = rowsDone;
      this.#hasBegun.resolve();
    } else if (event.type === 'progress') {
      const { rows, cost, etaSeconds } = event.snapshot;
      this.#change({ records: rows.done, cost: cost.soFar, seconds_left: etaSeconds && Math.ceil(etaSeconds) });
    } else if (event.type === 'row-group-end') {
      const lost = [...this.#state.lost, ...event.lost.map(told)];
      this.#committed += event.rows;
      this.#change({ lost: lost.slice(0, MAX_LOST_REASONS) });
    }
  }

  #change(changes: Partial<DatasetState>): void {
    this.#state = { ...this.#state, ...changes };
  }
}

/** Reasons told, at most. */
const MAX_LOST_REASONS = 20;

function said({ code, message }: RunEnd): string {
  return `[${code}] ${message}`;
}

function told({ rows, column, message }: DatasetState['lost'][number]): DatasetState['lost'][number] {
  return { rows, column, message };
}
