/** What a piece of work took: CPU over all threads of this process, wall time, and the largest memory seen. */
export interface Measurement<T> {
  readonly result: T;
  readonly cpuUs: number;
  readonly wallMs: number;
  readonly peakRssMb: number;
}

/** How often memory is looked at. */
const SAMPLE_MS = 20;

/** Runs a piece of work and says what it took. */
export async function measure<T>(work: () => Promise<T>): Promise<Measurement<T>> {
  let peak = process.memoryUsage.rss();
  const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), SAMPLE_MS);
  const wall = performance.now();
  const cpu = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(sampler);
  return { result, cpuUs: user + system, wallMs: performance.now() - wall, peakRssMb: peak / 1024 / 1024 };
}

/** The middle of the values, the upper one of two. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value that a share of the values lies below; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? NaN;
}
