import { makeTable } from './made-table.ts';
import type { BenchRow } from './spine.ts';

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
