import type { Address, CallOutcome } from './gateway.ts';

/**
 * One paid answer or one tool outcome that a model was shown, kept until its row group is committed. Refusals to
 * serve (429, 5xx, transport failures) and waits are not kept.
 */
export interface JournalEntry extends Address, CallOutcome {
  /** SHA-256 of resource, path and body in hex: a check on replay, not a key. */
  readonly request: string;
}
