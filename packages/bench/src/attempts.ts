import { measure, median, quantile } from './measure.ts';
import { type BenchDesigner, openBench, textDeclaration } from './open-bench.ts';
import type { BenchRow } from './spine.ts';
import { startResponder } from './start-responder.ts';

const COLUMNS = 5;
const ROWS = 300;
/** Short runs: what else the machine does disturbs few of them. More rounds narrow the interval by their square root. */
const ROUNDS = 120;
/** Rows whose memory is compared: a run of the smaller number is as large as any. */
const [FEW, MANY] = [20_000, 100_000];

/** A block of columns against the same columns without a block: CPU per cell, and memory of many rows. */
export async function attempts(): Promise<readonly BenchRow[]> {
  await using responder = await startResponder({ latencyMs: 0 });
  await using bench = await openBench(responder.endpoint);
  return [...(await cpuOfBlocks(bench)), await memoryOfRows(bench)];
}

async function cpuOfBlocks(bench: BenchDesigner): Promise<readonly BenchRow[]> {
  const plain = textDeclaration({ rows: ROWS, columns: COLUMNS, inFlight: 64 }) as object;
  const columns = Array.from({ length: COLUMNS }, (_, index) => `text_${index}`);
  const until = `text_${COLUMNS - 1} | length > 0`;
  const documents = [
    plain,
    { ...plain },
    { ...plain, attempts: [{ name: 'solve', columns, until, max: 1 }] },
    { ...plain, attempts: [{ name: 'solve', columns, max: 1, keep: 'all' }] },
  ];
  const cpuOf = async (document: unknown): Promise<number> => {
    const { cpuUs } = await measure(() => bench.make(document, ROWS));
    return cpuUs / (ROWS * COLUMNS);
  };
  // Code is warm from the second time on.
  for (let warming = 0; warming < 8; warming++) for (const document of documents) await cpuOf(document);
  const taken: number[][] = [];
  const order = documents.map((_, at) => at);
  for (let round = 0; round < ROUNDS; round++) {
    const cpu = documents.map(() => 0);
    const first = round % documents.length;
    const rotated = [...order.slice(first), ...order.slice(0, first)];
    // There and back, so that a machine that slows down in a round does so for all.
    for (const which of [...rotated, ...rotated.toReversed()]) {
      cpu[which] = (cpu[which] ?? NaN) + (await cpuOf(documents[which])) / 2;
    }
    taken.push(cpu);
  }
  const cpuAt = (at: number) => taken.map((cpu) => cpu[at] ?? NaN);
  const rowOf = (what: string, at: number): BenchRow => {
    const ratios = taken.map((cpu) => (cpu[at] ?? NaN) / (cpu[0] ?? NaN));
    const [low, high] = intervalOfMedian(ratios);
    return {
      what: `CPU per cell, ${COLUMNS} columns, ${what}`,
      figures: {
        'us plain': median(cpuAt(0)),
        us: median(cpuAt(at)),
        times: median(ratios),
        'at least': low,
        'at most': high,
        'times of the least': Math.min(...cpuAt(at)) / Math.min(...cpuAt(0)),
      },
    };
  };
  return [rowOf('the same again', 1), rowOf('1 attempt until a condition', 2), rowOf('1 attempt, keep all', 3)];
}

/** The interval that has the median of all possible rounds with a probability of 95 %, by the binomial distribution. */
function intervalOfMedian(values: readonly number[]): readonly [low: number, high: number] {
  const half = 0.98 / Math.sqrt(values.length);
  return [quantile(values, 0.5 - half), quantile(values, 0.5 + half)];
}

async function memoryOfRows(bench: BenchDesigner): Promise<BenchRow> {
  const plain = textDeclaration({ rows: FEW, columns: 1, inFlight: 64 }) as object;
  const document = { ...plain, attempts: [{ name: 'solve', columns: ['text_0'], max: 2, keep: 'all' }] };
  const peakOf = async (rows: number) => (await measure(() => bench.make(document, rows))).peakRssMb;
  await peakOf(FEW);
  const [few, many] = [await peakOf(FEW), await peakOf(MANY)];
  const what = `memory, 2 attempts at a column, ${FEW} and ${MANY} rows`;
  return { what, figures: { 'MB few': few, 'MB many': many, 'kB a row': ((many - few) * 1024) / (MANY - FEW) } };
}
