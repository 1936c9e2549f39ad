import { Random } from '@data-designer/core';
import { type FuzzBatch, type FuzzFault, type FuzzResult, MAX_CASE_MS } from './fuzz-message.ts';
import { openProgress } from './fuzz-progress.ts';
import type { FuzzCase, FuzzTarget } from './fuzz-target.ts';
import { TARGETS } from './targets.ts';

// A process of its own reads the cases, so that one that does not end, or eats the memory, takes nothing else with it.

const [name = '', seed = '0', path = ''] = process.argv.slice(2);
const target = TARGETS[name]?.() as FuzzTarget;
const draws = Random.of(Number(seed), name);
const progress = openProgress(path);

/** Reads one case; gives its outcome or its fault. */
function read(one: FuzzCase, number: number): string | FuzzFault {
  progress.set({ number, underWay: true });
  const start = process.cpuUsage();
  try {
    const outcome = target.check(one);
    const { user, system } = process.cpuUsage(start);
    const ms = (user + system) / 1000;
    return ms > MAX_CASE_MS ? { kind: 'slow', number, what: `it took ${Math.round(ms)} ms of CPU` } : outcome;
  } catch (thrown) {
    return { kind: 'threw', number, what: printThrown(thrown) };
  } finally {
    progress.set({ number, underWay: false });
  }
}

function printThrown(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return (thrown.stack ?? `${thrown.name}: ${thrown.message}`).split('\n').slice(0, 12).join('\n');
}

function readBatch(batch: FuzzBatch): FuzzResult {
  const outcomes: Record<string, number> = {};
  const count = (outcome: string): void => void (outcomes[outcome] = (outcomes[outcome] ?? 0) + 1);
  const { from, to } = 'one' in batch ? { from: 0, to: 1 } : batch;
  for (let number = from; number < to; number++) {
    progress.set({ number, underWay: false });
    const result = read('one' in batch ? batch.one : target.caseOf(draws.at(number)), number);
    if (typeof result !== 'string') return { outcomes, fault: result };
    count(result);
  }
  return { outcomes };
}

process.on('message', (batch: FuzzBatch) => void process.send?.(readBatch(batch)));
process.send?.('ready');
