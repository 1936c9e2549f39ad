import { measure, median } from './measure.ts';
import { type BenchDesigner, openBench, textDeclaration } from './open-bench.ts';
import type { BenchRow } from './spine.ts';
import { startResponder } from './start-responder.ts';

const COLUMNS = 5;
const ROWS = 300;
/** Short ones: what else the machine does disturbs few of them. */
const PAIRS = 60;
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
  for (let pair = 0; pair < PAIRS; pair++) {
    const cpu: number[] = [];
    // Each begins as often as the others.
    for (let at = 0; at < documents.length; at++) {
      const which = (at + pair) % documents.length;
      cpu[which] = await cpuOf(documents[which]);
    }
    taken.push(cpu);
  }
  const cpuAt = (at: number) => taken.map((cpu) => cpu[at] ?? NaN);
  const rowOf = (what: string, at: number): BenchRow => ({
    what: `CPU per cell, ${COLUMNS} columns, ${what}`,
    figures: {
      'us plain': median(cpuAt(0)),
      us: median(cpuAt(at)),
      times: median(taken.map((cpu) => (cpu[at] ?? NaN) / (cpu[0] ?? NaN))),
      'times of the least': Math.min(...cpuAt(at)) / Math.min(...cpuAt(0)),
    },
  });
  return [rowOf('the same again', 1), rowOf('1 attempt until a condition', 2), rowOf('1 attempt, keep all', 3)];
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
