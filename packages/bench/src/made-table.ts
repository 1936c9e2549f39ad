import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BenchRow } from './spine.ts';

const MAKE_TABLE = fileURLToPath(new URL('make-table.ts', import.meta.url));

/** What a table took: milliseconds of the run and of its whole process, and the largest memory of that. */
export interface MadeTable {
  readonly runMs: number;
  readonly wallMs: number;
  readonly peakMb: number;
}

/** A dataset of the eight samplers by `create` in a process of its own, whose start and memory count. */
export async function makeTable(rows: number): Promise<MadeTable> {
  const start = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, [MAKE_TABLE, String(rows)]);
  const wallMs = performance.now() - start;
  const made: Omit<MadeTable, 'wallMs'> = JSON.parse(stdout);
  return { wallMs, ...made };
}

/** Row groups for two workers, as many as two processors have; for each twice; and many. */
const COUNTS = [100_000, 200_000, 1_000_000];

/** The largest memory of tables from nothing, each made in a process of its own: rows must not cost any. */
export async function memory(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  let least = Infinity;
  for (const count of COUNTS) {
    const { peakMb } = await makeTable(count);
    least = Math.min(least, peakMb);
    rows.push({ what: `${count} rows x 8 samplers`, figures: { 'peak MB': peakMb, 'x the least': peakMb / least } });
  }
  return rows;
}
