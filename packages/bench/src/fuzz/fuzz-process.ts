import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FuzzBatch, type FuzzFault, type FuzzResult, MAX_HANG_MS } from './fuzz-message.ts';
import { type FuzzProgress, openProgress } from './fuzz-progress.ts';
import { TARGETS } from './targets.ts';

/** Megabytes that a process may keep; what is read is small. */
const MAX_HEAP_MB = 256;

/** How often is looked whether a case still goes on. */
const LOOK_MS = 100;

/** A process that reads cases, and is ended when one of them takes too long. */
export interface FuzzProcess extends AsyncDisposable {
  /** Reads a batch, up to its first fault; after one that is no `threw` the process is gone. */
  readonly read: (batch: FuzzBatch) => Promise<FuzzResult>;
}

/**
 * Starts a process for the cases of a target. A thread would not do: a heap that is full in the middle of a built-in
 * function ends the process, whatever limit its thread has.
 */
export async function openFuzzProcess(target: string, seed: number): Promise<FuzzProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
  const path = join(folder, 'progress');
  const progress = openProgress(path);
  const child = fork(fileURLToPath(new URL('./fuzz-reader.ts', import.meta.url)), [target, String(seed), path], {
    cwd: TARGETS[target]?.().folder ?? process.cwd(),
    execArgv: [...process.execArgv, `--max-old-space-size=${MAX_HEAP_MB}`],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  const ended = endOf(child);
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    progress[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  };
  const said = await Promise.race([once(child, 'message'), ended]);
  if (typeof said === 'string') {
    await close();
    throw new Error(`the process that reads cases did not start: ${said}`);
  }
  return {
    read: (batch) => readBatch(child, batch, { progress: progress.get, ended }),
    [Symbol.asyncDispose]: close,
  };
}

/** The last words of a process, once it has ended. */
async function endOf(child: ChildProcess): Promise<string> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (said = (said + chunk).slice(0, 4000)));
  await new Promise((resolve) => child.once('close', resolve));
  return said.trim() || `it ended with ${child.signalCode ?? child.exitCode}`;
}

interface Watched {
  readonly progress: () => FuzzProgress;
  readonly ended: Promise<string>;
}

async function readBatch(child: ChildProcess, batch: FuzzBatch, { progress, ended }: Watched): Promise<FuzzResult> {
  const { promise, resolve } = Promise.withResolvers<FuzzResult>();
  const giveUp = (number: number): void => {
    resolve({ outcomes: {}, fault: { kind: 'slow', number, what: `it takes more than ${MAX_HANG_MS} ms` } });
    child.kill('SIGKILL');
  };
  const watch = setInterval(watchCases(progress, giveUp), LOOK_MS);
  const lost = ended.then((said): FuzzResult => ({ outcomes: {}, fault: lossOf(said, progress().number) }));
  // Why a batch cannot be sent is known from the end of the process.
  if (child.connected) child.once('message', resolve).send(batch, () => {});
  try {
    return await Promise.race([promise, lost]);
  } finally {
    clearInterval(watch);
    child.off('message', resolve);
  }
}

/** Looks at the case under way; tells of one that is still the same after the time that it has. */
function watchCases(progress: () => FuzzProgress, tell: (number: number) => void): () => void {
  let same = 0;
  let last = -1;
  return () => {
    const { number, underWay } = progress();
    same = underWay && number === last ? same + 1 : 0;
    last = number;
    if (same * LOOK_MS > MAX_HANG_MS) tell(number);
  };
}

function lossOf(said: string, number: number): FuzzFault {
  if (/heap/i.test(said)) return { kind: 'memory', number, what: `it takes more than ${MAX_HEAP_MB} MB` };
  return { kind: 'threw', number, what: `the process ended: ${said}` };
}
