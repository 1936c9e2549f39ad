import { createHash, type Hash } from 'node:crypto';
import type { Benchmarks } from './benchmarks.ts';
import type { Candidate } from './features.ts';

/** A digest of the rows of another dataset as far as the rules compare them, in their order. */
export class RowsDigest {
  readonly #hash: Hash = createHash('sha256');

  add(candidate: Candidate): void {
    if (candidate.kind !== 'features') return void this.#hash.update('-');
    for (const signature of candidate.unique) {
      this.#hash.update(signature?.kind ?? 'none');
      if (signature) this.#hash.update(signature.keys);
      if (signature && 'values' in signature) this.#hash.update(signature.values);
    }
  }

  end(): string {
    return this.#hash.digest('hex');
  }
}

/** A digest of benchmark items. */
export function digestOfBenchmarks(benchmarks: Benchmarks): string {
  const hash = createHash('sha256').update(JSON.stringify([benchmarks.ngram, benchmarks.files]));
  for (const part of Object.values(benchmarks))
    if (part instanceof Uint32Array || part instanceof Uint16Array) hash.update(part);
  return hash.digest('hex');
}
