import { availableParallelism } from 'node:os';
import type { FuzzBatch, FuzzFault, FuzzResult } from './fuzz-message.ts';
import { type FuzzProcess, openFuzzProcess } from './fuzz-process.ts';

/** What to fuzz, and with which cases. */
export interface FuzzOptions {
  readonly target: string;
  /** An integer from 0 to 2^53 - 1. */
  readonly seed: number;
  /** Number of the first case; 0 unless given. */
  readonly from?: number;
  readonly cases: number;
}

/** What came of all cases: how often each outcome, and the first fault that was found. */
export interface FuzzReport {
  readonly cases: number;
  readonly seconds: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly fault?: FuzzFault;
}

/** Cases that a process is given at once. */
const BATCH = 100;

/** How often a batch is read again after a fault that is not there when its case is read alone. */
const MAX_TRIES = 3;

/** Reads cases in processes until all are read or one has a fault. */
export async function runFuzz({ target, seed, from = 0, cases }: FuzzOptions): Promise<FuzzReport> {
  const start = performance.now();
  const end = from + cases;
  const outcomes = new Map<string, number>();
  let next = from;
  let fault: FuzzFault | undefined;
  const lane = async (): Promise<void> => {
    await using reader = openReader(target, seed);
    while (next < end && !fault) {
      const batch = { from: next, to: Math.min(end, next + BATCH) };
      next = batch.to;
      const result = await reader.read(batch);
      for (const [name, count] of Object.entries(result.outcomes))
        outcomes.set(name, (outcomes.get(name) ?? 0) + count);
      fault ??= result.fault;
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(4, availableParallelism() - 1)) }, lane));
  const read = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
  const report = { cases: read, seconds: (performance.now() - start) / 1000, outcomes: Object.fromEntries(outcomes) };
  return fault ? { ...report, fault } : report;
}

/** Something that reads batches whatever becomes of its processes. */
interface Reader extends AsyncDisposable {
  readonly read: (batch: FuzzBatch) => Promise<FuzzResult>;
}

/** A reader that starts a process when it needs one, and takes no fault of time or memory for true that it sees once. */
export function openReader(target: string, seed: number): Reader {
  let reading: Promise<FuzzProcess> | undefined;
  const close = async (): Promise<void> => {
    const open = reading;
    reading = undefined;
    await (await open)?.[Symbol.asyncDispose]();
  };
  const readOnce = async (batch: FuzzBatch): Promise<FuzzResult> => {
    reading ??= openFuzzProcess(target, seed);
    const result = await (await reading).read(batch);
    if (result.fault && result.fault.kind !== 'threw') await close();
    return result;
  };
  const read = async (batch: FuzzBatch): Promise<FuzzResult> => {
    for (let tries = 1; ; tries++) {
      const result = await readOnce(batch);
      if (!result.fault || result.fault.kind === 'threw' || 'one' in batch) return result;
      const { number } = result.fault;
      const alone = await readOnce({ from: number, to: number + 1 });
      if (alone.fault) return alone;
      if (tries === MAX_TRIES)
        return { ...result, fault: { ...result.fault, what: `${result.fault.what}, though not alone` } };
    }
  };
  return { read, [Symbol.asyncDispose]: close };
}
