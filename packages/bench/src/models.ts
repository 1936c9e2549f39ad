import { bareLoop } from './bare-loop.ts';
import { measure } from './measure.ts';
import { openBench } from './open-bench.ts';
import type { BenchRow } from './spine.ts';
import { startResponder } from './start-responder.ts';

/** What a cell of a language model costs, and how an endpoint is used to its limit. */
export async function models(): Promise<readonly BenchRow[]> {
  return [...(await cpuPerCell('text')), ...(await cpuPerCell('json')), ...(await hiddenLimit())];
}

const FEW = 2_000;
const MANY = 22_000;

/**
 * CPU per cell over all threads of this process, against a bare undici loop on one thread, both talking to the canned
 * responder. The cost of a cell is that of 20,000 further ones: starting threads and loading libraries is not in it.
 */
async function cpuPerCell(answer: 'text' | 'json'): Promise<BenchRow[]> {
  await using responder = await startResponder({ answer });
  const { endpoint } = responder;
  const columns = answer === 'text' ? 1 : 'structured';
  const make = async (rows: number): Promise<void> => {
    await using bench = openBench(endpoint);
    await bench.create({ rows, columns, inFlight: 64 });
  };
  await bareLoop(endpoint, FEW, 64);
  const bare = await measure(() => bareLoop(endpoint, MANY - FEW, 64));
  const few = await measure(() => make(FEW));
  const many = await measure(() => make(MANY));
  const bareUs = bare.cpuUs / (MANY - FEW);
  const cellUs = (many.cpuUs - few.cpuUs) / (MANY - FEW);
  const name = answer === 'text' ? '(a) LLM text cell' : '(b) structured cell, 1 kB of JSON with a schema';
  return [
    { what: `${name.slice(0, 3)} bare undici loop`, figures: { 'CPU us/call': bareUs, 'x bare': 1 } },
    { what: name, figures: { 'CPU us/call': cellUs, 'x bare': cellUs / bareUs, 'peak MB': many.peakRssMb } },
  ];
}

/** The first so many seconds find the limit, and count among the refusals only. */
const WARM_UP_SECONDS = 2;

/** A server that stands 64 requests at a time, asked by a run that may send 256. */
async function hiddenLimit(): Promise<BenchRow[]> {
  const [stands, latencyMs, rows] = [64, 250, 8192];
  await using responder = await startResponder({ latencyMs, stands });
  await using bench = openBench(responder.endpoint);
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
