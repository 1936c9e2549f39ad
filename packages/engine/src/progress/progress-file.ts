import { hostname } from 'node:os';
import { type DatasetPaths, readJsonFile, replaceFile } from '@data-designer/dataset';
import { files } from '@data-designer/dataset/journal';
import { isFields, stringifyJson } from '@data-designer/core';
import type { RunEvent } from '../run-event.ts';
import type { ProgressSnapshot } from './progress-snapshot.ts';
import { RateHistory, type RateSample } from './rate-history.ts';

/** No program reads the file more often. */
const WRITE_EVERY_MS = 1000;

/** The content of `progress.json` while a run goes on. */
export interface RunningProgress {
  /** The process that makes the rows, or that coordinates the machines of a cluster. */
  readonly pid: number;
  readonly host: string;
  /** When the run began its row groups, and when the file was written: ISO 8601. */
  readonly startedAt: string;
  readonly writtenAt: string;
  readonly snapshot: ProgressSnapshot;
  /** The rates of the run up to now. */
  readonly history: readonly RateSample[];
}

/** Ends the progress that a killed run has left where no row is left to make: its rates stay. */
export async function endProgress({ progress, rates }: Pick<DatasetPaths, 'progress' | 'rates'>): Promise<void> {
  const left = await readJsonFile(progress, { exact: false }).catch(() => undefined);
  const history = isFields(left) && Array.isArray(left.history) ? left.history : undefined;
  if (history) await replaceFile(rates, `${stringifyJson(history)}\n`).catch(() => {});
  await files()
    .unlink(progress)
    .catch(() => {});
}

/**
 * Writes the progress of a run to `progress.json` once a second, for programs that watch the folder. The end of the run
 * removes the file and leaves its rates in `rates.json`; a killed run leaves `progress.json`. The run continues if a file
 * cannot be written.
 */
export class ProgressFile implements AsyncDisposable {
  readonly #paths: Pick<DatasetPaths, 'progress' | 'rates'>;
  readonly #startedAt = new Date().toISOString();
  readonly #history = new RateHistory();
  #writtenAt = -Infinity;
  #writing: Promise<void> = Promise.resolve();
  #isBusy = false;
  #hasEnded = false;
  #latest: ProgressSnapshot | undefined;

  constructor(paths: Pick<DatasetPaths, 'progress' | 'rates'>) {
    this.#paths = paths;
  }

  /** Takes the events of the run. */
  readonly take = (event: RunEvent): void => {
    if (event.type !== 'progress' || this.#hasEnded) return;
    this.#latest = event.snapshot;
    const now = performance.now();
    // A report that comes each second may come a little early.
    if (this.#isBusy || now - this.#writtenAt < WRITE_EVERY_MS * 0.9) return;
    this.#writtenAt = now;
    this.#isBusy = true;
    this.#writing = this.#write(event.snapshot)
      .catch(() => {})
      .finally(() => (this.#isBusy = false));
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hasEnded = true;
    await this.#writing;
    if (this.#latest === undefined) return;
    this.#history.add(Date.now(), this.#latest);
    await replaceFile(this.#paths.rates, `${stringifyJson(this.#history.samples)}\n`).catch(() => {});
    await files()
      .unlink(this.#paths.progress)
      .catch(() => {});
  }

  async #write(snapshot: ProgressSnapshot): Promise<void> {
    const now = new Date();
    this.#history.add(now.getTime(), snapshot);
    const state: RunningProgress = {
      pid: process.pid,
      host: hostname(),
      startedAt: this.#startedAt,
      writtenAt: now.toISOString(),
      snapshot,
      history: this.#history.samples,
    };
    await replaceFile(this.#paths.progress, `${stringifyJson(state)}\n`);
  }
}
