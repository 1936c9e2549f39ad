import { Random } from '@data-designer/core';
import type { FuzzFault } from './fuzz-message.ts';
import type { FuzzCase } from './fuzz-target.ts';
import { openReader } from './run-fuzz.ts';
import { shrink } from './shrink.ts';
import { TARGETS } from './targets.ts';

/** A case with a fault is read so often to make it shorter; one that is slow takes seconds each time. */
const TRIES = { threw: 400, slow: 20, memory: 10 } as const satisfies Record<FuzzFault['kind'], number>;

/** Characters of a case that are shown. */
const MAX_SHOWN = 3000;

/** Everything about a fault that is needed to find its cause: the case, how to read it again, and as little text as shows it. */
export async function printFault(fault: FuzzFault, target: string, seed: number): Promise<string> {
  const faulty = TARGETS[target]?.().caseOf(Random.of(seed, target).at(fault.number)) as FuzzCase;
  const { length } = faulty.text;
  const text = await shortest(faulty, fault, target);
  const shown = JSON.stringify(text.slice(0, MAX_SHOWN)) + (text.length > MAX_SHOWN ? '…' : '');
  return [
    `case ${fault.number} of seed ${seed} ${fault.kind}: ${fault.what}`,
    `again: ${target} --seed ${seed} --from ${fault.number} --cases 1`,
    `made by: ${faulty.story.join(', ')}`,
    `text (${faulty.json ? 'JSON' : 'YAML'}, ${text.length} of ${length} characters): ${shown}`,
  ].join('\n');
}

/** The shortest text found with the same fault. */
async function shortest(faulty: FuzzCase, fault: FuzzFault, target: string): Promise<string> {
  await using reader = openReader(target, 0);
  const isFaulty = async (text: string): Promise<boolean> => {
    const found = await reader.read({ one: { ...faulty, text } });
    return found.fault !== undefined && signOf(found.fault) === signOf(fault);
  };
  return await shrink(faulty.text, isFaulty, { maxTries: TRIES[fault.kind] });
}

/** What two faults have in common that are one: of what was thrown, its kind and the place that threw it. */
function signOf({ kind, what }: FuzzFault): string {
  if (kind !== 'threw') return kind;
  const lines = what.split('\n');
  return [lines[0]?.split(':')[0], lines.find((line) => /^\s+at /.test(line))].join();
}
