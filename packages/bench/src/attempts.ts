import { measure, median } from './measure.ts';
import { openBench, textDeclaration } from './open-bench.ts';
import type { BenchRow } from './spine.ts';
import { startResponder } from './start-responder.ts';

const COLUMNS = 5;
const ROWS = 1500;
/** Short ones: what else the machine does disturbs few of them. */
const PAIRS = 14;

/** A block of columns with one attempt against the same columns without a block: CPU per cell. */
export async function attempts(): Promise<readonly BenchRow[]> {
  await using responder = await startResponder({ latencyMs: 0 });
  await using bench = await openBench(responder.endpoint);
  const plain = textDeclaration({ rows: ROWS, columns: COLUMNS, inFlight: 64 }) as object;
  const columns = Array.from({ length: COLUMNS }, (_, index) => `text_${index}`);
  const until = `text_${COLUMNS - 1} | length > 0`;
  const block = { ...plain, attempts: [{ name: 'solve', columns, until, max: 1 }] };
  const all = { ...plain, attempts: [{ name: 'solve', columns, max: 1, keep: 'all' }] };
  const cpuOf = async (document: unknown): Promise<number> => {
    const { cpuUs } = await measure(() => bench.make(document, ROWS));
    return cpuUs / (ROWS * COLUMNS);
  };
  // Code is warm from the second time on.
  for (let warming = 0; warming < 2; warming++) for (const document of [plain, block, all]) await cpuOf(document);
  const taken: (readonly [plain: number, block: number, all: number])[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const documents = pair % 2 === 0 ? [plain, block, all] : [all, block, plain];
    const cpu = new Map<unknown, number>();
    for (const document of documents) cpu.set(document, await cpuOf(document));
    taken.push([cpu.get(plain) ?? NaN, cpu.get(block) ?? NaN, cpu.get(all) ?? NaN]);
  }
  const rowOf = (what: string, side: 1 | 2): BenchRow => ({
    what,
    figures: {
      'us plain': median(taken.map(([one]) => one)),
      'us block': median(taken.map((pair) => pair[side])),
      times: median(taken.map((pair) => pair[side] / pair[0])),
    },
  });
  return [
    rowOf(`CPU per cell, ${COLUMNS} columns, 1 attempt until a condition`, 1),
    rowOf(`CPU per cell, ${COLUMNS} columns, 1 attempt, keep all`, 2),
  ];
}
