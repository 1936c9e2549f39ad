import { startSimulator } from '@data-designer/simulator';
import { measure } from './measure.ts';
import { openBench } from './open-bench.ts';

/** One line of a table: what was measured, and its figures by unit. */
export interface BenchRow {
  readonly what: string;
  readonly figures: Readonly<Record<string, number>>;
}

/** What a whole run brings: cells a second, and how near it comes to keeping all permits in use. */
export async function spine(): Promise<readonly BenchRow[]> {
  return [...(await throughput()), ...(await idealShare())];
}

/**
 * Two dependent text columns against the simulator at zero latency, on the same machine, 64 requests at a time: once
 * with threads that start cold, then with the threads of the same designer.
 */
async function throughput(): Promise<BenchRow[]> {
  await using simulator = await startSimulator();
  await using bench = await openBench(simulator.url);
  const rows: BenchRow[] = [];
  for (const [count, threads] of [
    [1_000, 'cold'],
    [10_000, 'warm'],
    [1_000, 'warm'],
  ] as const) {
    const {
      result: runMs,
      wallMs,
      peakRssMb,
    } = await measure(() => bench.create({ rows: count, columns: 2, inFlight: 64 }));
    const figures = {
      'cells/s': (2 * count * 1000) / runMs,
      'cells/s with start': (2 * count * 1000) / wallMs,
      'peak MB': peakRssMb,
    };
    rows.push({ what: `(a) ${count} rows x 2 text columns, 64 in flight, ${threads}`, figures });
  }
  return rows;
}

/** Rows whose answers take one second each: how near the run comes to keeping every place busy all the time. */
async function idealShare(): Promise<BenchRow[]> {
  await using simulator = await startSimulator('--latency', '1000');
  await using bench = await openBench(simulator.url);
  const rows: BenchRow[] = [];
  for (const inFlight of [256, 1024]) {
    const count = 16_384;
    const {
      result: runMs,
      wallMs,
      peakRssMb,
    } = await measure(() => bench.create({ rows: count, columns: 1, inFlight }));
    const idealMs = (count / inFlight) * 1000;
    const figures = { 'of ideal': idealMs / runMs, 'of ideal with start': idealMs / wallMs, 'peak MB': peakRssMb };
    rows.push({ what: `(b) ${count} rows at 1 s, ${inFlight} in flight`, figures });
  }
  return rows;
}
