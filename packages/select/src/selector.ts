import type { DuplicateIndex } from './duplicate-index.ts';
import type { Candidate, Features } from './features.ts';
import type { SelectRules, UniqueRule } from './select-rules.ts';
import { ShingleIndex } from './shingle-index.ts';
import { TextIndex } from './text-index.ts';
import type { ValueStoreOptions } from './value-store.ts';
import { VectorIndex } from './vector-index.ts';
import type { Duplicate, Reason, Verdict } from './verdict.ts';
import { Words } from './words.ts';

/** What a product of a share and a count may exceed an integer by. */
const ROUNDING = 1e-9;

const ACCEPTED: Verdict = { accepted: true };

/**
 * Accepts or refuses candidates, one after another in the order of their index: a candidate is refused if it
 * duplicates a row accepted before it. Rows of other datasets are added first.
 */
export class Selector implements Disposable {
  readonly #rules: SelectRules;
  readonly #indexes: readonly DuplicateIndex[];
  /** The index of each row that the rules compare with. */
  readonly #rowIndexes = new Words();
  /** Other datasets, with the number of their first row. */
  readonly #others: { readonly folder: string; readonly first: number }[] = [];
  readonly #values = new Map<string, number>();
  /** The number of the first candidate's row; the rows before it are those of other datasets. */
  #ownFirst = 0;
  #accepted = 0;

  constructor(rules: SelectRules, options: ValueStoreOptions = {}) {
    this.#rules = rules;
    this.#indexes = rules.unique.map((rule) => indexOf(rule, options));
  }

  /** Candidates accepted so far. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Adds a row of another dataset, before the first candidate. */
  addOther(folder: string, row: number, features: Features): void {
    if (this.#others.at(-1)?.folder !== folder) this.#others.push({ folder, first: this.#rowIndexes.length });
    this.#add(row, features);
    this.#ownFirst = this.#rowIndexes.length;
  }

  /** Decides on the next candidate. The first reason counts: its own refusal, the unique rules in order, the balance. */
  decide(index: number, candidate: Candidate): Verdict {
    const reason = candidate.kind === 'features' ? this.#reasonAgainst(candidate) : candidate;
    if (reason) return { accepted: false, reason };
    if (candidate.kind === 'features') {
      this.#add(index, candidate);
      this.#count(candidate);
    }
    return ACCEPTED;
  }

  /** Deletes the temporary files. */
  [Symbol.dispose](): void {
    for (const index of this.#indexes) index[Symbol.dispose]();
  }

  #reasonAgainst(features: Features): Reason | undefined {
    for (const [rule, index] of this.#indexes.entries()) {
      const signature = features.unique[rule];
      const match = signature && index.find(signature);
      if (match) return this.#duplicate(match.row, { similarity: match.similarity, rule });
    }
    return this.#overShare(features);
  }

  #duplicate(row: number, { similarity, rule }: Pick<Duplicate, 'similarity' | 'rule'>): Duplicate {
    const duplicate = {
      kind: 'duplicate',
      of: this.#rowIndexes.at(row),
      similarity: Math.round(similarity * 10_000) / 10_000,
      rule,
    } as const;
    const other = row < this.#ownFirst ? this.#others.findLast(({ first }) => first <= row) : undefined;
    return other ? { ...duplicate, folder: other.folder } : duplicate;
  }

  /** A value may have its share of the rows accepted so far, rounded up: the verdict does not depend on later rows. */
  #overShare({ balance: value }: Features): Reason | undefined {
    const { balance } = this.#rules;
    if (!balance || value === undefined) return undefined;
    const most = Math.max(1, Math.ceil(balance.maxShare * (this.#accepted + 1) - ROUNDING));
    return (this.#values.get(value) ?? 0) + 1 <= most ? undefined : { kind: 'balance', value };
  }

  #add(index: number, { unique }: Features): void {
    const row = this.#rowIndexes.length;
    this.#rowIndexes.push(index);
    for (const [rule, one] of this.#indexes.entries()) {
      const signature = unique[rule];
      if (signature) one.add(signature, row);
    }
  }

  #count({ balance: value }: Features): void {
    this.#accepted++;
    if (value !== undefined && this.#rules.balance) this.#values.set(value, (this.#values.get(value) ?? 0) + 1);
  }
}

function indexOf(rule: UniqueRule, options: ValueStoreOptions): DuplicateIndex {
  switch (rule.kind) {
    case 'exact':
      return new TextIndex();
    case 'minhash':
      return new ShingleIndex(rule.threshold, options);
    case 'embedding':
      return new VectorIndex(rule.threshold, options);
  }
}
