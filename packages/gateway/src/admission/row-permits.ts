import { type Address, type Call, DataDesignerError } from '@data-designer/core';
import { addressKey } from '../journal/journal.ts';
import type { ProviderRouter } from '../provider-router.ts';
import type { Permit } from './admission.ts';

/** The address and the resource of a call that asks for a permit. */
type Request = Address & Pick<Call, 'resource'>;

/** A call that waits for a permit. */
interface Waiting {
  readonly withdraw: () => void;
  /** Asks anew: at the end of a run it is refused. */
  readonly again: () => void;
}

/** The signals that end the calls of a row. */
export interface RowSignals {
  /** Aborted when the row is given up, with its calls in flight. */
  readonly signal: AbortSignal;
  /** Aborted when nothing more may be sent for the row. */
  readonly rowOver: AbortSignal;
}

/** What a row waits for, holds and has in flight. */
interface RowState {
  readonly abort: AbortController;
  readonly over: AbortController;
  /** Calls of the row that are in flight. */
  calls: number;
  readonly waiting: Map<string, Waiting>;
  readonly permits: Map<string, Permit>;
}

/** The permits of one row group: those that its rows hold and those that they wait for. */
export class RowPermits {
  readonly #router: ProviderRouter;
  readonly #rows = new Map<number, RowState>();

  constructor(router: ProviderRouter) {
    this.#router = router;
  }

  /** Requests a permit for an address; `granted` is called when it is held there. */
  request(at: Request, granted: () => void, again: () => void): void {
    const key = addressKey(at);
    const state = this.#row(at.row);
    const withdraw = this.#router.admission(at.resource).request(this.#router.priorityOf(at), (permit) => {
      state.waiting.delete(key);
      state.permits.set(key, permit);
      granted();
    });
    if (!state.permits.has(key)) state.waiting.set(key, { withdraw, again });
  }

  /** Counts a call of a row as in flight while `send` runs. */
  async during<Result>(row: number, send: (signals: RowSignals) => Promise<Result>): Promise<Result> {
    const state = this.#row(row);
    state.calls++;
    try {
      return await send({ signal: state.abort.signal, rowOver: state.over.signal });
    } finally {
      state.calls--;
    }
  }

  /** The permit held for a call; else a new one, as for a call whose own was released with the port of a lost worker. */
  async take(call: Call, { signal, rowOver }: RowSignals): Promise<Permit> {
    const { permits } = this.#row(call.row);
    const key = addressKey(call);
    const admission = this.#router.admission(call.resource);
    const held = permits.get(key);
    permits.delete(key);
    if (held) return held;
    const stopped = AbortSignal.any([signal, rowOver, this.#router.stopped(call.resource)]);
    return admission.take() ?? (await admission.acquire(this.#router.priorityOf(call), stopped));
  }

  /** Releases what a call holds or waits for: it is not made. */
  release(at: Address): void {
    const key = addressKey(at);
    const state = this.#rows.get(at.row);
    state?.waiting.get(key)?.withdraw();
    state?.waiting.delete(key);
    state?.permits.get(key)?.release();
    state?.permits.delete(key);
  }

  /** Releases what all rows hold or wait for; calls in flight go on. */
  releaseAll(): void {
    for (const state of this.#rows.values()) releaseRow(state);
  }

  /**
   * Ends a row: releases its permits and aborts its calls. With `finishCalls` requests in flight go on, if there are any, and
   * are not sent again.
   */
  endRow(row: number, { finishCalls }: { readonly finishCalls: boolean }): void {
    const state = this.#rows.get(row);
    if (!state) return;
    if (finishCalls && state.calls > 0) {
      state.over.abort(new DataDesignerError('run/aborted', { reason: `row ${row} is over` }));
      return releaseRow(state);
    }
    this.#rows.delete(row);
    giveUp(state);
  }

  /** Releases the permits of all rows and aborts their calls. */
  giveUpAll(): void {
    for (const state of this.#rows.values()) giveUp(state);
  }

  /** Makes every call that waits for a permit ask anew. */
  askAgain(): void {
    for (const { waiting } of this.#rows.values()) {
      const calls = [...waiting.values()];
      waiting.clear();
      for (const { withdraw, again } of calls) {
        withdraw();
        again();
      }
    }
  }

  #row(row: number): RowState {
    let state = this.#rows.get(row);
    if (state) return state;
    state = {
      abort: new AbortController(),
      over: new AbortController(),
      calls: 0,
      waiting: new Map(),
      permits: new Map(),
    };
    this.#rows.set(row, state);
    return state;
  }
}

function giveUp(state: RowState): void {
  releaseRow(state);
  // Most rows end with no call in flight, and an abort costs as much as everything else at the end of a row.
  if (state.calls > 0) state.abort.abort();
}

function releaseRow({ waiting, permits }: RowState): void {
  for (const { withdraw } of waiting.values()) withdraw();
  for (const permit of permits.values()) permit.release();
  waiting.clear();
  permits.clear();
}
