import type { ProgressSnapshot } from '@data-designer/engine';

/** The time of one bar. */
const BAR_MS = 1000;
const MOST_BARS = 20;
const BARS = '▁▂▃▄▅▆▇█';

/** The finished cells of the last seconds, for a sparkline. */
export class RateHistory {
  /** What was finished at the end of each second; the last one is not over. */
  #totals: number[] = [];
  #bar = 0;

  /** Takes a snapshot; without slow columns its rows count. */
  add({ elapsedMs, columns, rows }: ProgressSnapshot): void {
    const total = columns.length === 0 ? rows.done : columns.reduce((sum, { done }) => sum + done, 0);
    if (this.#totals.length === 0) this.#totals = [total];
    const bar = Math.floor(elapsedMs / BAR_MS);
    const over = Math.min(bar - this.#bar, MOST_BARS + 1);
    // Seconds without a snapshot finished nothing.
    for (let second = 0; second < over; second++) this.#totals.push(this.#totals.at(-1) ?? total);
    this.#totals = [...this.#totals.slice(0, -1), total].slice(-(MOST_BARS + 2));
    this.#bar = bar;
  }

  /** One character for each of the last seconds that are over; empty before there are two. */
  get sparkline(): string {
    const made = this.#totals.slice(1, -1).map((total, at) => Math.max(0, total - (this.#totals[at] ?? 0)));
    const most = Math.max(...made);
    if (made.length < 2 || most === 0) return '';
    return made.map((count) => BARS[Math.ceil((count / most) * (BARS.length - 1))] ?? '').join('');
  }
}
