/** The mean is that of so many ms. */
const SPAN_MS = 5000;

interface LimitSample {
  readonly time: number;
  readonly inFlight: number;
  readonly waiting: number;
}

/** How many requests of a model are in flight while others wait: its limit changes as requests are refused and answered. */
export class PermitsInUse {
  #samples: LimitSample[] = [];

  /** Takes the current state; times never go back. */
  add(sample: LimitSample): void {
    if (sample.waiting === 0) this.#samples = [];
    else this.#samples.push(sample);
    while (this.#samples.length > 2 && sample.time - (this.#samples[1]?.time ?? 0) >= SPAN_MS) this.#samples.shift();
  }

  /** The mean of the last seconds; undefined while no request has waited for as long. */
  get mean(): number | undefined {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (!first || !last || last.time - first.time < SPAN_MS) return undefined;
    const sum = this.#samples
      .slice(1)
      .reduce((all, { inFlight, time }, at) => all + inFlight * (time - (this.#samples[at]?.time ?? time)), 0);
    return sum / (last.time - first.time);
  }
}
