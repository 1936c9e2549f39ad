import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulator } from '@data-designer/simulator';
import { openBench } from './open-bench.ts';
import { documentOf, type Shape, SHAPES } from './shape-columns.ts';
import type { BenchRow } from './spine.ts';

const ROWS = 2_000;
const PERMITS = 64;
const LATENCY = 'lognormal:200:0.5';

/** How long whole runs take, against what no run could beat with the latencies that the simulator logged. */
export async function shapes(): Promise<readonly BenchRow[]> {
  const wanted = process.argv.slice(3);
  const rows: BenchRow[] = [];
  for (const shape of SHAPES) if (wanted.length === 0 || wanted.includes(shape.name)) rows.push(await held(shape));
  return rows;
}

async function held(shape: Shape): Promise<BenchRow> {
  const folder = mkdtempSync(join(tmpdir(), 'shapes-'));
  const log = join(folder, 'requests.ndjson');
  try {
    const makespanMs = await makespan(shape, log);
    const { boundMs, requests } = await lowerBound(log);
    const figures = {
      'x bound': makespanMs / boundMs,
      s: makespanMs / 1000,
      'of at least s': boundMs / 1000,
      requests,
    };
    return { what: `${shape.name}: ${ROWS} rows, ${PERMITS} permits a model, ${LATENCY}`, figures };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Milliseconds from the first row group's opening to the end of the run. */
async function makespan(shape: Shape, log: string): Promise<number> {
  await using simulator = await startSimulator('--latency', LATENCY, '--log', log);
  await using bench = await openBench(simulator.url);
  return await bench.make(documentOf(shape, PERMITS), ROWS);
}

/**
 * What no run could beat: for each model the sum of its latencies over its permits, and the longest answer. The longest
 * chain of answers in one row would be the exact form of the latter; here it is a tenth of the former at most.
 */
async function lowerBound(log: string): Promise<{ readonly boundMs: number; readonly requests: number }> {
  const sums = new Map<string, number>();
  let [longest, requests] = [0, 0];
  for (const line of (await readFile(log, 'utf8')).trim().split('\n')) {
    const { model, latencyMs }: { readonly model: string; readonly latencyMs: number } = JSON.parse(line);
    sums.set(model, (sums.get(model) ?? 0) + latencyMs);
    longest = Math.max(longest, latencyMs);
    requests++;
  }
  return { boundMs: Math.max(longest, ...[...sums.values()].map((sum) => sum / PERMITS)), requests };
}
