import { bareLoop } from './bare-loop.ts';
import { measure } from './measure.ts';
import { openBench } from './open-bench.ts';
import type { BenchRow } from './spine.ts';
import { startResponder } from './start-responder.ts';

/** Thousands of requests at a time, each of one second: how near the run, and the bare loop, come to the ideal. */
export async function crowd(): Promise<readonly BenchRow[]> {
  const [rows, inFlight] = [16_384, 4096];
  const idealMs = (rows / inFlight) * 1000;
  await using responder = await startResponder({ latencyMs: 1000 });
  // The run first: what the loop leaves in memory would be counted with it.
  await using bench = openBench(responder.endpoint);
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
