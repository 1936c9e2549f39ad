import type { Plan } from '@data-designer/core';
import type { TimeLeft, TimeRange } from './time-left.ts';
import type { WorkSample } from './work-sample.ts';

let code: typeof import('./time-left.ts') | undefined;

/** Loads what estimates the time left; small runs are over before they need it. */
export async function loadTimeLeft(): Promise<void> {
  code ??= await import('./time-left.ts');
}

/** The time left of a run, from its begin: counts that come before the estimate is loaded are kept for it. */
export class LaterTimeLeft {
  readonly #plan: Plan;
  readonly #wanted: number;
  readonly #begin: WorkSample;
  #kept: WorkSample[] = [];
  #timeLeft: TimeLeft | undefined;

  constructor(plan: Plan, wanted: number, begin: WorkSample) {
    this.#plan = plan;
    this.#wanted = wanted;
    this.#begin = begin;
  }

  /** Takes the current counts. */
  add(sample: WorkSample): void {
    this.#kept.push(sample);
    if (code) {
      this.#timeLeft ??= new code.TimeLeft(this.#plan, this.#wanted, this.#begin);
      for (const kept of this.#kept) this.#timeLeft.add(kept);
      this.#kept = [];
    } else if (this.#hasPace(sample)) {
      // A package that was removed meanwhile costs the estimate alone.
      loadTimeLeft().catch(() => undefined);
    }
  }

  /** Whether something is made, and something is left to make. */
  #hasPace({ rows, cells }: WorkSample): boolean {
    const made = [...cells].some(([name, count]) => count > (this.#begin.cells.get(name) ?? 0));
    return rows < this.#wanted && (made || rows > this.#begin.rows);
  }

  /** Null while it is unknown. */
  get range(): TimeRange | null {
    return this.#timeLeft?.range ?? null;
  }
}
