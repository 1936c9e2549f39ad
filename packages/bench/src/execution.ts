import { readFileSync, readdirSync } from 'node:fs';
import { type EngineName, execute } from '@data-designer/execution';
import type { BenchRow } from './spine.ts';

const LIMITS = { timeoutMs: 60_000, memoryBytes: 64_000_000, outputBytes: 20_000 };
const AT_A_TIME = 8;

/** A small program of each language, with the number of its checks. */
const PROGRAMS: Readonly<Record<EngineName, readonly [checks: number, program: string]>> = {
  javascript: [
    10_000,
    'function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2); } if (f(10) !== 55) throw new Error("no");',
  ],
  python: [60, 'def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\nassert f(10) == 55'],
  sqlite: [10_000, 'SELECT k, sum(n) FROM (SELECT 1 AS k, 2 AS n UNION ALL SELECT 1, 3) GROUP BY k'],
  duckdb: [10_000, 'SELECT k, sum(n) FROM (SELECT 1 AS k, 2 AS n UNION ALL SELECT 1, 3) GROUP BY k'],
};

/** Checks per second of small programs; the memory of this process and its sandboxes, early and at the end. */
export async function execution(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [engine, [checks, program]] of Object.entries(PROGRAMS) as [EngineName, readonly [number, string]][]) {
    const check = async (): Promise<void> => {
      const [ran] = await execute(engine, { runs: [{ scripts: [program] }], limits: LIMITS });
      if (ran?.failure) throw new Error(`${engine}: ${ran.failure.message}`);
    };
    // The first one starts what the others share.
    await check();
    const early = Math.ceil(checks / 5);
    let left = checks;
    let own = memoryOf('self');
    let sandboxes = 0;
    const since = performance.now();
    const work = async () => {
      while (left-- > 0) {
        await check();
        if (left === checks - early) own = memoryOf('self');
        if (left % 50 === 0) sandboxes = Math.max(sandboxes, ...childrenOf(process.pid).map((pid) => memoryOf(pid)));
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    const rate = (checks * 1000) / (performance.now() - since);
    const figures = {
      'checks/s': rate,
      'MB after a fifth': own,
      'MB at the end': memoryOf('self'),
      'MB of the largest sandbox': sandboxes,
    };
    rows.push({ what: `${checks} small programs, ${engine}`, figures });
  }
  return rows;
}

/** The resident memory of a process in MB; 0 where there is no `/proc` or it has ended. */
function memoryOf(process: string): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function childrenOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' '),
    );
  } catch {
    return [];
  }
}
