import type { Row } from '@data-designer/core';
import { BenchmarkBuilder, createRowSigner, type SelectRules } from '@data-designer/select';
import type { BenchRow } from '../spine.ts';
import { TextGenerator } from './planted-texts.ts';
import { nearDuplicates } from './select-texts.ts';

const ROWS = 2000;
const CHARACTERS = 1500;
const DIMENSION = 1024;
/** The pass that takes the least time counts; the others were disturbed, or not compiled yet. */
const PASSES = 7;

/** What signing a row costs one thread. */
export function signingCost(): readonly BenchRow[] {
  const generator = new TextGenerator(6);
  const rows = Array.from({ length: ROWS }, (): Row => ({
    text: generator.words(300).join(' ').slice(0, CHARACTERS),
    vector: Array.from({ length: DIMENSION }, () => generator.below(2001) / 1000 - 1),
  }));
  const builder = new BenchmarkBuilder(8);
  for (let item = 0; item < 50_000; item++) builder.add({ file: 'items', item }, generator.words(60).join(' '));
  const benchmarks = builder.build();
  const notIn = { files: ['items'], columns: ['text'], ngram: 8, share: 0.5 };
  const near = nearDuplicates(0.8);
  return [
    cost(`exact, ${CHARACTERS} characters`, rows, createRowSigner(rulesOf({ kind: 'exact', columns: ['text'] }))),
    cost(`minhash, ${CHARACTERS} characters`, rows, createRowSigner(near)),
    cost(
      `embedding, ${DIMENSION} numbers`,
      rows,
      createRowSigner(rulesOf({ kind: 'embedding', column: 'vector', threshold: 0.9 })),
    ),
    cost(
      `not_in, ${CHARACTERS} characters`,
      rows,
      createRowSigner({ unique: [], uniqueAgainst: [], notIn }, benchmarks),
    ),
  ];
}

function rulesOf(rule: SelectRules['unique'][number]): SelectRules {
  return { unique: [rule], uniqueAgainst: [] };
}

function cost(what: string, rows: readonly Row[], sign: (row: Row) => unknown): BenchRow {
  const us = cpuUs(() => rows.forEach(sign)) / rows.length;
  return { what, figures: { 'us of CPU/row': us, 'rows/s of a thread': 1e6 / us } };
}

function cpuUs(work: () => unknown): number {
  let best = Infinity;
  for (let pass = 0; pass < PASSES; pass++) {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, user + system);
  }
  return best;
}
