import { startSimulator } from '@data-designer/simulator';
import { bareLoop } from './bare-loop.ts';
import { measure } from './measure.ts';
import { openBench } from './open-bench.ts';
import { startResponder } from './start-responder.ts';

/** One line of a table: what was measured, and its figures by unit. */
export interface BenchRow {
  readonly what: string;
  readonly figures: Readonly<Record<string, number>>;
}

/** The three figures of the spine, each in one run of this process. */
export async function spine(): Promise<readonly BenchRow[]> {
  return [...(await throughput()), ...(await idealShare()), ...(await cpuPerCell())];
}

/**
 * Two dependent text columns against the simulator at zero latency, on the same machine, 64 requests at a time: once
 * with threads that start cold, then with the threads of the same designer.
 */
async function throughput(): Promise<BenchRow[]> {
  await using simulator = await startSimulator();
  await using bench = openBench(simulator.url);
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
  await using bench = openBench(simulator.url);
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

const FEW = 2_000;
const MANY = 22_000;

/**
 * CPU per LLM text cell over all threads of this process, against a bare undici loop on one thread, both talking to
 * the canned responder. The cost of a cell is that of 20,000 further ones: starting threads and loading libraries is
 * not in it.
 */
async function cpuPerCell(): Promise<BenchRow[]> {
  await using responder = await startResponder(0);
  const { endpoint } = responder;
  const cells = MANY - FEW;
  const make = async (rows: number): Promise<void> => {
    await using bench = openBench(endpoint);
    await bench.create({ rows, columns: 1, inFlight: 64 });
  };
  await bareLoop(endpoint, FEW, 64);
  const bare = await measure(() => bareLoop(endpoint, cells, 64));
  const few = await measure(() => make(FEW));
  const many = await measure(() => make(MANY));
  const bareUs = bare.cpuUs / cells;
  const cellUs = (many.cpuUs - few.cpuUs) / cells;
  return [
    { what: '(c) bare undici loop', figures: { 'CPU us/call': bareUs, 'x bare': 1 } },
    { what: '(c) LLM text cell', figures: { 'CPU us/call': cellUs, 'x bare': cellUs / bareUs } },
    {
      what: `(c) the same with start and end, ${MANY} cells`,
      figures: { 'CPU us/call': many.cpuUs / MANY, 'x bare': many.cpuUs / MANY / bareUs, 'peak MB': many.peakRssMb },
    },
  ];
}
