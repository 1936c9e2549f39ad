import type { Plan } from '@data-designer/core';
import { type RunEvent, costOfDataset } from '@data-designer/engine';

/** What one run spends, whether it fails or not: follows it, and looks into its folder once it is over. */
export class RunSpending {
  readonly #models: Plan['models'];
  /** The dataset that is gone on with. */
  readonly #resumed: string | undefined;
  /** What earlier runs on it have spent. */
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

  /** Before a run: of these models answers cost something; `resumed` is the folder of the dataset that it goes on with. */
  static async begin(models: Plan['models'], resumed: string | undefined): Promise<RunSpending> {
    return new RunSpending(models, resumed, resumed === undefined ? 0 : await costOfDataset(resumed, models));
  }

  /** Notes what a run tells of itself. */
  take(event: RunEvent): void {
    if (event.type === 'run-start') this.#folder = event.path;
    if (event.type !== 'progress') return;
    const { usage, models } = event.snapshot;
    const told = Object.keys(this.#models).flatMap((alias) => usage[alias] ?? []);
    this.#requests = told.reduce((sum, { requests }) => sum + requests, 0);
    this.#cost = told.reduce<number | null>((sum, { cost }) => (sum === null || cost === null ? null : sum + cost), 0);
    this.#inFlight = Math.max(this.#inFlight, ...models.map(({ inFlight }) => inFlight));
  }

  /** What it has spent, once it is over; null where that is not known. */
  async spent(): Promise<number | null> {
    if (this.#folder === undefined) return this.#told();
    const isSame = this.#folder === this.#resumed;
    const all = await costOfDataset(this.#folder, this.#models).catch(() => null);
    return all === null ? null : Math.max(0, all - (isSame ? this.before : 0));
  }

  /** Of a run without a folder: requests that were cut off may be paid for, and then cost what others do. */
  #told(): number | null {
    if (this.#inFlight === 0 || this.#cost === null) return this.#cost;
    return this.#requests === 0 ? null : this.#cost * (1 + this.#inFlight / this.#requests);
  }
}
