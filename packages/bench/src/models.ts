import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bareLoop } from './bare-loop.ts';
import { measure } from './measure.ts';
import { openBench } from './open-bench.ts';
import type { BenchRow } from './spine.ts';
import { startResponder } from './start-responder.ts';

/** What a cell of a language model costs, and how an endpoint is used to its limit. */
export async function models(): Promise<readonly BenchRow[]> {
  return [...(await cellCost('text')), ...(await cellCost('json')), ...(await hiddenLimit())];
}

/** Each in a process of its own: code that is warm from before would make the second loop cheaper than the first. */
async function cellCost(answer: 'text' | 'json'): Promise<readonly BenchRow[]> {
  const program = fileURLToPath(new URL('./cell-cost.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, answer]);
  const rows: BenchRow[] = JSON.parse(stdout);
  return rows;
}

/** The first so many seconds find the limit, and count among the refusals only. */
const WARM_UP_SECONDS = 2;

/** A server that stands 64 requests at a time, asked by a run that may send 256. */
async function hiddenLimit(): Promise<BenchRow[]> {
  const [stands, latencyMs, rows] = [64, 250, 8192];
  await using responder = await startResponder({ latencyMs, stands });
  await using bench = await openBench(responder.endpoint);
  await bench.create({ rows, columns: 1, inFlight: 256 });
  const { perSecond, refused } = await responder.end();
  const full = perSecond.slice(WARM_UP_SECONDS, -1);
  const capacity = (stands * 1000) / latencyMs;
  const used = full.reduce((sum, served) => sum + served, 0) / full.length / capacity;
  return [
    {
      what: `(c) ${stands} requests of ${latencyMs} ms stood, 256 allowed`,
      figures: { 'of capacity': used, '% refused': (100 * refused) / (rows + refused) },
    },
  ];
}

/** Thousands of requests at a time, each of one second: how near the run, and the bare loop, come to the ideal. */
export async function crowd(): Promise<readonly BenchRow[]> {
  const [rows, inFlight] = [16_384, 4096];
  const idealMs = (rows / inFlight) * 1000;
  await using responder = await startResponder({ latencyMs: 1000 });
  // The run first: what the loop leaves in memory would be counted with it.
  await using bench = await openBench(responder.endpoint);
  const run = await measure(() => bench.create({ rows, columns: 1, inFlight }));
  const bare = await measure(() => bareLoop(responder.endpoint, rows, inFlight));
  const what = `${rows} calls of 1 s, ${inFlight} in flight`;
  return [
    {
      what: `bare undici loop, ${what}`,
      figures: { 'of ideal': idealMs / bare.wallMs },
    },
    {
      what,
      figures: { 'of ideal': idealMs / run.result, 'of bare': bare.wallMs / run.result, 'peak MB': run.peakRssMb },
    },
  ];
}
