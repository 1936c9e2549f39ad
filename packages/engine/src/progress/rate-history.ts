import type { ProgressSnapshot } from './progress-snapshot.ts';

/** Further samples replace every second one. */
const MAX_SAMPLES = 300;
/** The distance of the first samples. */
const SAMPLE_MS = 1000;

/** One moment of a run. */
export interface RateSample {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly rows: number;
  readonly rowsPerSecond: number;
  /** Requests to models. */
  readonly inFlight: number;
  readonly waiting: number;
  readonly outputTokensPerSecond: number;
  readonly cost: number | null;
}

/** The rates of a run over its whole time, in at most 300 samples at even distances. */
export class RateHistory {
  #samples: readonly RateSample[] = [];
  /** The least distance of samples; it doubles whenever there are too many. */
  #everyMs = SAMPLE_MS;

  get samples(): readonly RateSample[] {
    return this.#samples;
  }

  /** Takes the progress at a time, unless the last sample is too near. */
  add(at: number, { rows, models, usage, cost }: ProgressSnapshot): void {
    // A report that comes each second may come a little early.
    if (at - (this.#samples.at(-1)?.at ?? -Infinity) < this.#everyMs * 0.9) return;
    const sample: RateSample = {
      at,
      rows: rows.done,
      rowsPerSecond: rounded(rows.perSecond),
      inFlight: models.reduce((sum, { inFlight }) => sum + inFlight, 0),
      waiting: models.reduce((sum, { waiting }) => sum + waiting, 0),
      outputTokensPerSecond: rounded(
        Object.values(usage).reduce((sum, { outputTokensPerSecond: rate }) => sum + rate, 0),
      ),
      cost: cost.soFar,
    };
    const samples = [...this.#samples, sample];
    if (samples.length <= MAX_SAMPLES) {
      this.#samples = samples;
      return;
    }
    this.#samples = samples.filter((_, index) => index % 2 === 0);
    this.#everyMs *= 2;
  }
}

/** More digits are not visible, and the file is written each second. */
function rounded(rate: number): number {
  return Number(rate.toPrecision(4));
}
