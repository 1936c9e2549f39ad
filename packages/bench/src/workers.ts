import { WorkerPool } from '@data-designer/engine';
import { EIGHT_COLUMNS } from './sampled-columns.ts';
import { openBench } from './open-bench.ts';
import type { BenchRow } from './spine.ts';

const ROWS = 800_000;
/** The best of so many runs counts, by turns; the others were disturbed, or not compiled yet. */
const TURNS = 4;

/** No model is asked. */
const NOWHERE = 'http://127.0.0.1:9/v1';

const expression = (name: string, expr: string) => ({ name, columnType: 'expression', expr });

/** Work for a processor: samplers, and templates over them. */
const COLUMNS = [
  ...EIGHT_COLUMNS,
  expression('said', '{{ c0 | upper }} of the {{ c1 }}: {{ g1 }}'),
  expression('joined', '{% if b %}{{ said }}{% else %}{{ c1 }} without {{ c0 }}{% endif %}'),
];

/** The gain of a second worker where no model and no tool is asked. */
export async function workers(): Promise<readonly BenchRow[]> {
  // Threads wait for the next run of the same designer: each count of them needs one of its own.
  await using one = await openBench(NOWHERE);
  await using two = await openBench(NOWHERE);
  const best = { 1: 0, 2: 0 };
  for (let turn = 0; turn < TURNS; turn++) {
    for (const threads of [1, 2] as const) {
      using _ = withThreads(threads);
      const ms = await (threads === 1 ? one : two).make({ columns: COLUMNS }, ROWS);
      best[threads] = Math.max(best[threads], (ROWS * 1000) / ms);
    }
  }
  const what = `${ROWS} rows x 8 samplers and 2 expressions`;
  return [
    { what: `${what}, one worker`, figures: { 'rows/s': best[1] } },
    { what: `${what}, two workers`, figures: { 'rows/s': best[2], 'x one': best[2] / best[1] } },
  ];
}

/** For the bench alone runs have so many workers, whatever the machine has. */
function withThreads(threads: number): Disposable {
  const pool = WorkerPool.prototype;
  const lease = Reflect.get(pool, 'lease');
  pool.lease = function leaseThreads(size) {
    return lease.call(this, { ...size, threads });
  };
  return { [Symbol.dispose]: () => void (pool.lease = lease) };
}
