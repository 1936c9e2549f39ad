import { bareLoop } from './bare-loop.ts';
import { measure } from './measure.ts';
import { openBench } from './open-bench.ts';
import type { BenchRow } from './spine.ts';
import { startResponder } from './start-responder.ts';

// Measures a cell of a language model, `text` or `json`, and prints its lines of the table as JSON.

const FEW = 2_000;
const MANY = 22_000;

process.stdout.write(JSON.stringify(await cpuPerCell(process.argv[2] as 'text' | 'json')));

/**
 * CPU per cell over all threads of this process, against a bare undici loop on one thread, both talking to the canned
 * responder. The cost of a cell is that of 20,000 further ones: starting threads and loading libraries is not in it.
 */
async function cpuPerCell(answer: 'text' | 'json'): Promise<BenchRow[]> {
  await using responder = await startResponder({ answer });
  const { endpoint } = responder;
  const columns = answer === 'text' ? 1 : 'structured';
  const make = async (rows: number): Promise<void> => {
    await using bench = await openBench(endpoint);
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
