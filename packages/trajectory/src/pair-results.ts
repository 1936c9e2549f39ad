import type { StoredCall } from '@data-designer/core';
import type { TrajectoryMessage } from './read-messages.ts';

/** A call and the message that answers it. */
export interface AnsweredCall {
  readonly call: StoredCall;
  /** The index of the message with the call. */
  readonly message: number;
  /** The index of the message with its result; undefined if there is none. */
  result: number | undefined;
}

/** The calls of a conversation, and the tool messages that answer none. */
export interface PairedResults {
  readonly calls: readonly AnsweredCall[];
  readonly strays: readonly number[];
}

/**
 * Pairs calls with their results, which stand before the next message of another role. A result without an id answers the
 * first open call.
 */
export function pairResults(messages: readonly TrajectoryMessage[]): PairedResults {
  const calls: AnsweredCall[] = [];
  const strays: number[] = [];
  let open: AnsweredCall[] = [];
  messages.forEach(({ role, calls: own, callId }, index) => {
    if (role !== 'tool') {
      open = own.map((call) => ({ call, message: index, result: undefined }));
      calls.push(...open);
      return;
    }
    const at = callId === null ? 0 : open.findIndex(({ call }) => call.id === callId || call.id === null);
    const [answered] = at < 0 ? [] : open.splice(at, 1);
    if (answered) answered.result = index;
    else strays.push(index);
  });
  return { calls, strays };
}
