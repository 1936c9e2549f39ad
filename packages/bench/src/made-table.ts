import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

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
