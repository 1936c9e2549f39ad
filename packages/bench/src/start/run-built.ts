import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The built command line. */
export const PROGRAM = fileURLToPath(new URL('../../../data-designer/bin/data-designer.js', import.meta.url));

/** The output of a command, and when it came. */
export interface BuiltRun {
  readonly stdout: string;
  /** From the start of the process to its first output on stdout, in ms. */
  readonly firstOutputMs: number;
  /** From the start of the process to its end, in ms. */
  readonly wallMs: number;
  /** CPU of the process and its children, in ms; 0 where the platform has no `times`. */
  readonly cpuMs: number;
}

interface BuiltRunOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly preload?: URL;
}

/** Runs the built program to its end; throws with its output when it fails. */
export async function runBuilt(args: readonly string[], { environment, preload }: BuiltRunOptions): Promise<BuiltRun> {
  const node = [process.execPath, ...(preload ? ['--import', preload.href] : []), PROGRAM, ...args];
  const isPosix = process.platform !== 'win32';
  const env = { ...process.env, ...environment, NO_COLOR: '1' };
  const start = performance.now();
  // The shell's `times` tells the CPU of its children, threads and grandchildren included.
  const child = isPosix
    ? spawn('sh', ['-c', '"$@"; code=$?; times >&2; exit $code', 'sh', ...node], { env })
    : spawn(node[0]!, node.slice(1), { env });
  let firstOutputMs = Number.NaN;
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (stdout === '') firstOutputMs = performance.now() - start;
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise((resolve) => {
    child.once('close', resolve);
  });
  const wallMs = performance.now() - start;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}: ${stderr}`);
  return { stdout, firstOutputMs, wallMs, cpuMs: isPosix ? childCpuMs(stderr) : 0 };
}

/** The last line of `times`: user and system time of children, as `0m0.250s 0m0.040s`. */
function childCpuMs(text: string): number {
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  const parts = [...last.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
  );
  return parts.reduce((sum, seconds) => sum + seconds, 0) * 1000;
}
