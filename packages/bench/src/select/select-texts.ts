import { createRowSigner, Selector, type SelectRules } from '@data-designer/select';

/** A text that the selector refused, and the accepted text that it duplicates. */
export interface RefusedText {
  readonly of: number;
  readonly similarity: number;
}

/** The rule on near-duplicates of a column `text`. */
export function nearDuplicates(threshold: number): SelectRules {
  return { unique: [{ kind: 'minhash', columns: ['text'], threshold }], uniqueAgainst: [] };
}

/** The texts that the selector refuses, by their positions. */
export function selectTexts(texts: readonly string[], threshold: number): Map<number, RefusedText> {
  const rules = nearDuplicates(threshold);
  const sign = createRowSigner(rules);
  using selector = new Selector(rules);
  const refused = new Map<number, RefusedText>();
  for (const [index, text] of texts.entries()) {
    const verdict = selector.decide(index, sign({ text }));
    if (!verdict.accepted && verdict.reason.kind === 'duplicate') refused.set(index, verdict.reason);
  }
  return refused;
}

/** Two similar texts, by their positions; `first` is the smaller. */
export interface SimilarPair {
  readonly first: number;
  readonly second: number;
  readonly similarity: number;
}

/** What keeping the first of similar texts refuses, from all pairs of them, with the refused text's most similar one. */
export function keepFirst(pairs: readonly SimilarPair[], threshold: number): Map<number, RefusedText> {
  const refused = new Map<number, RefusedText>();
  const inOrder = pairs.filter(({ similarity }) => similarity >= threshold).toSorted((a, b) => a.second - b.second);
  for (const { first, second, similarity } of inOrder) {
    const before = refused.get(second);
    if (!refused.has(first) && similarity > (before?.similarity ?? 0)) refused.set(second, { of: first, similarity });
  }
  return refused;
}
