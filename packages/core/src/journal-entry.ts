import type { Address, CallOutcome } from './gateway.ts';

/**
 * One paid answer, or one tool outcome that a model saw, journaled until its row group is committed. Refusals (429, 5xx,
 * transport failures) and waits are not journaled.
 */
export interface JournalEntry extends Address, CallOutcome {
  /** SHA-256 of resource, path and body in hex: a replay compares it. */
  readonly request: string;
}
