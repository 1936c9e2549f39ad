export type { Candidate, Features, Signature } from './features.ts';
export { createRowSigner } from './row-signer.ts';
export type { BalanceRule, NotInRule, SelectRules, UniqueRule } from './select-rules.ts';
export { Selector } from './selector.ts';
export { type BenchmarkHit, type Duplicate, printReason, type Reason, type Refusal, type Verdict } from './verdict.ts';
