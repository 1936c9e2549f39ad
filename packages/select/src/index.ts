export { BenchmarkBuilder, type BenchmarkItem, type Benchmarks } from './benchmarks.ts';
export { contaminant, type TouchedItem, touchedItems } from './contamination.ts';
export type { Candidate, Features, Signature } from './features.ts';
export { textOf } from './normalise.ts';
export { createRowSigner } from './row-signer.ts';
export type { BalanceRule, NotInRule, SelectRules, UniqueRule } from './select-rules.ts';
export { Selector } from './selector.ts';
export type { ValueStoreOptions } from './value-store.ts';
export { type Duplicate, printReason, type Reason, type Refusal, type Verdict } from './verdict.ts';
