import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import type { BenchRow } from './spine.ts';

const CHILD = fileURLToPath(new URL('exported-chats.ts', import.meta.url));
const FORMATS = ['chat-jsonl', 'trl-sft', 'sharegpt', 'atif'] as const;

interface Measured {
  readonly ms: number;
  readonly mb: number;
  /** Processor time of all threads. */
  readonly cpuMs: number;
  readonly peakMb: number;
}

function run(...args: readonly string[]): Promise<{ readonly stdout: string }> {
  return promisify(execFile)(process.execPath, [CHILD, ...args]);
}

/** Exports of conversations of 2 kB (`--rows N`, 100,000 by default): rate, size and memory, each in a process of its own. */
export async function exports(): Promise<readonly BenchRow[]> {
  const { values } = parseArgs({ args: process.argv.slice(3), options: { rows: { type: 'string' } } });
  const rows = Number(values.rows ?? 100_000);
  const folder = mkdtempSync(join(tmpdir(), 'bench-export-'));
  try {
    await run('make', folder, String(rows));
    const measured: BenchRow[] = [];
    for (const format of FORMATS) {
      const { ms, mb, cpuMs, peakMb } = JSON.parse((await run(format, folder)).stdout) as Measured;
      const figures = {
        conversations: rows,
        seconds: ms / 1000,
        'conversations/s': (rows * 1000) / ms,
        'CPU µs each': (cpuMs * 1000) / rows,
        'MB/s': (mb * 1000) / ms,
        'peak MB': peakMb,
      };
      measured.push({ what: format, figures });
    }
    return measured;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
