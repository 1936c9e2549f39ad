import type { Permit } from './admission.ts';
import type { BatchingPort } from '../thread/batching-port.ts';
import type { Ask, Reply } from '../thread/channel-messages.ts';

/** Somebody who waits for a place. */
export interface WaitingAdmit {
  readonly ask: Ask & { readonly kind: 'admit' };
  readonly out: BatchingPort<Reply>;
  readonly withdraw: () => void;
}

/** What a desk knows of a row: what waits, what it may call, and how much is under way. */
export interface RowState {
  readonly abort: AbortController;
  /** Calls of the row that are under way. */
  calls: number;
  readonly waiting: Map<string, WaitingAdmit>;
  readonly permits: Map<string, Permit>;
}

/** Takes everything back from a row, what is under way included. */
export function giveUp(state: RowState): void {
  release(state);
  // Most rows end with nothing under way, and an abort costs as much as the rest of ending one.
  if (state.calls > 0) state.abort.abort();
}

/** Takes back from a row what it waits for, and its places; what is under way goes on. */
export function release({ waiting, permits }: RowState): void {
  for (const { withdraw } of waiting.values()) withdraw();
  for (const permit of permits.values()) permit.release();
  waiting.clear();
  permits.clear();
}
