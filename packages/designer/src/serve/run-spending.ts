import type { Plan } from '@data-designer/core';
import { costOfDataset, type RunEvent } from '@data-designer/engine';

/** Measures the spending of one run: from its events, and from its folder once it has ended or failed. */
export class RunSpending {
  readonly #models: Plan['models'];
  /** The folder of the dataset that the run continues. */
  readonly #resumed: string | undefined;
  /** The spending of earlier runs on it. */
  readonly before: number;
  #folder: string | undefined;
  #cost: number | null = 0;
  #requests = 0;
  #inFlight = 0;

  private constructor(models: Plan['models'], resumed: string | undefined, before: number) {
    this.#models = models;
    this.#resumed = resumed;
    this.before = before;
  }

  /** Begins before a run; `models` are those that cost something, `resumed` is the folder of a dataset it continues. */
  static async begin(models: Plan['models'], resumed: string | undefined): Promise<RunSpending> {
    return new RunSpending(models, resumed, resumed === undefined ? 0 : await costOfDataset(resumed, models));
  }

  /** Follows an event of the run. */
  take(event: RunEvent): void {
    if (event.type === 'run-start') this.#folder = event.path;
    if (event.type !== 'progress') return;
    const { usage, models } = event.snapshot;
    const used = Object.keys(this.#models).flatMap((alias) => usage[alias] ?? []);
    this.#requests = used.reduce((sum, { requests }) => sum + requests, 0);
    this.#cost = used.reduce<number | null>((sum, { cost }) => (sum === null || cost === null ? null : sum + cost), 0);
    this.#inFlight = Math.max(this.#inFlight, ...models.map(({ inFlight }) => inFlight));
  }

  /** The run has succeeded: each of its requests has its answer. */
  succeed(): void {
    this.#inFlight = 0;
  }

  /** The spending of the ended run; null if unknown. */
  async spent(): Promise<number | null> {
    if (this.#folder === undefined) return this.#estimate();
    const isSame = this.#folder === this.#resumed;
    const all = await costOfDataset(this.#folder, this.#models).catch(() => null);
    return all === null ? null : Math.max(0, all - (isSame ? this.before : 0));
  }

  /** The spending of a run without a folder: aborted requests may be billed, at the mean cost of the others. */
  #estimate(): number | null {
    if (this.#inFlight === 0 || this.#cost === null) return this.#cost;
    return this.#requests === 0 ? null : this.#cost * (1 + this.#inFlight / this.#requests);
  }
}
