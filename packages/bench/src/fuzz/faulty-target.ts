import type { FuzzCase, FuzzTarget } from './fuzz-target.ts';
import { pick } from './mutations/mutation.ts';

/** What the faulty reader does by the word that a text holds. */
const FAULTS: Readonly<Record<string, () => void>> = {
  throws: () => (undefined as unknown as { readonly length: () => void }).length(),
  hangs: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  eats: () => {
    const eaten: unknown[] = [];
    for (;;) eaten.push(Array<number>(1_000_000).fill(0.5));
  },
};

const TEXTS = ['it reads', 'it reads', 'it reads', 'it throws', 'it hangs', 'it eats'];

/** A reader with every fault, to see that they are found. */
export function faultyTarget(): FuzzTarget {
  return { caseOf: (random) => ({ text: pick(TEXTS, random), json: false, story: ['faulty'] }), check };
}

function check({ text }: FuzzCase): string {
  for (const [word, commit] of Object.entries(FAULTS)) if (text.includes(word)) commit();
  return 'valid';
}
