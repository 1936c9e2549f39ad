import { measure, median, quantile } from './measure.ts';
import { type BenchDesigner, openBench, textDeclaration } from './open-bench.ts';
import type { BenchRow } from './spine.ts';
import { startResponder } from './start-responder.ts';

const COLUMNS = 5;
/** Rows of a small and a large run: their difference is the cost of cells, and the small one that of a run. */
const [SMALL, LARGE] = [20, 320];
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
  const plain = textDeclaration({ rows: LARGE, columns: COLUMNS, inFlight: 64 }) as object;
  const columns = Array.from({ length: COLUMNS }, (_, index) => `text_${index}`);
  const until = `text_${COLUMNS - 1} | length > 0`;
  const documents = [
    plain,
    { ...plain },
    { ...plain, attempts: [{ name: 'solve', columns, until, max: 1 }] },
    { ...plain, attempts: [{ name: 'solve', columns, max: 1, keep: 'all' }] },
  ];
  const cpuOf = async (document: unknown): Promise<Taken> => {
    const { cpuUs: run } = await measure(() => bench.make(document, SMALL));
    const { cpuUs: large } = await measure(() => bench.make(document, LARGE));
    return { run, cell: (large - run) / ((LARGE - SMALL) * COLUMNS) };
  };
  // Code is warm from the second time on.
  for (let warming = 0; warming < 8; warming++) for (const document of documents) await cpuOf(document);
  const taken: Taken[][] = [];
  const order = documents.map((_, at) => at);
  for (let round = 0; round < ROUNDS; round++) {
    const cpu = documents.map(() => ({ run: 0, cell: 0 }));
    const first = round % documents.length;
    const rotated = [...order.slice(first), ...order.slice(0, first)];
    // There and back, so that a machine that slows down in a round does so for all.
    for (const which of [...rotated, ...rotated.toReversed()]) {
      const { run, cell } = await cpuOf(documents[which]);
      const sum = cpu[which];
      if (sum) [sum.run, sum.cell] = [sum.run + run / 2, sum.cell + cell / 2];
    }
    taken.push(cpu);
  }
  const rowOf = (what: string, { at, of }: { readonly at: number; readonly of: keyof Taken }): BenchRow => {
    const cpuAt = (which: number) => taken.map((cpu) => cpu[which]?.[of] ?? NaN);
    const plainly = cpuAt(0);
    const ratios = cpuAt(at).map((us, round) => us / (plainly[round] ?? NaN));
    const [low, high] = intervalOfMedian(ratios);
    return {
      what: `CPU per ${of}, ${COLUMNS} columns, ${what}`,
      figures: {
        'us plain': median(plainly),
        us: median(cpuAt(at)),
        times: median(ratios),
        'at least': low,
        'at most': high,
      },
    };
  };
  const kinds = ['the same again', '1 attempt until a condition', '1 attempt, keep all'];
  return (['cell', 'run'] as const).flatMap((of) => kinds.map((what, index) => rowOf(what, { at: index + 1, of })));
}

/** CPU of a run of few rows, and of each further cell, in us. */
interface Taken {
  run: number;
  cell: number;
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
