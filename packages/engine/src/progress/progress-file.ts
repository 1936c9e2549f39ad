import { hostname } from 'node:os';
import { type DatasetPaths, replaceFile } from '@data-designer/dataset';
import { files } from '@data-designer/dataset/journal';
import { stringifyJson } from '@data-designer/core';
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

/**
 * Writes the progress of a run to `progress.json` once a second, for programs that watch the folder; the end of the run
 * removes the file, and a killed run leaves it. The run continues if the file cannot be written.
 */
export class ProgressFile implements AsyncDisposable {
  readonly #path: string;
  readonly #startedAt = new Date().toISOString();
  readonly #history = new RateHistory();
  #writtenAt = -Infinity;
  #writing: Promise<void> = Promise.resolve();
  #isBusy = false;

  constructor({ progress }: Pick<DatasetPaths, 'progress'>) {
    this.#path = progress;
  }

  /** Takes the events of the run. */
  readonly take = (event: RunEvent): void => {
    if (event.type !== 'progress' || this.#isBusy) return;
    const now = performance.now();
    // A report that comes each second may come a little early.
    if (now - this.#writtenAt < WRITE_EVERY_MS * 0.9) return;
    this.#writtenAt = now;
    this.#isBusy = true;
    this.#writing = this.#write(event.snapshot)
      .catch(() => {})
      .finally(() => (this.#isBusy = false));
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isBusy = true;
    await this.#writing;
    await files()
      .unlink(this.#path)
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
    await replaceFile(this.#path, `${stringifyJson(state)}\n`);
  }
}
