import type { MessagePort } from 'node:worker_threads';
import {
  type Address,
  type Call,
  type CallOutcome,
  DataDesignerError,
  OPEN_ROWS,
  type PaidTokens,
  type Tries,
} from '@data-designer/core';
import type { JournalRecord } from '@data-designer/dataset/journal';
import type { Permit } from './admission/admission.ts';
import { BatchingPort } from './thread/batching-port.ts';
import { tokensOfAnswer } from './admission/answer-cost.ts';
import { addressKey, type Journal } from './journal/journal.ts';
import { requestOf } from './journal/journaled-answers.ts';
import { type ProviderRouter, runIsOver } from './provider-router.ts';
import { giveUp, release, type RowState, type WaitingAdmit } from './admission/row-state.ts';
import { addTokens } from './http/send-with-retries.ts';
import {
  type Ask,
  insteadOfReply,
  type Line,
  outcomeReply,
  readAsk,
  type Reply,
  unpack,
  writeReply,
} from './thread/channel-messages.ts';

/** What a desk needs of the thread it stands in. */
export interface GroupChannelParts {
  readonly router: ProviderRouter;
  /** Undefined where nothing is kept, as in a preview. */
  readonly journal: Journal | undefined;
  /** Called when there is something to write and send. */
  readonly wake: (channel: GroupChannel, when: When) => void;
}

/** When a desk is to be flushed: `now` as there is much, `soon` at the end of this turn, `later` together with others. */
export type When = 'now' | 'soon' | 'later';

/** A call that is not kept: its key, what stands beside its answer, and whose row it is. */
interface Sending {
  readonly key: string;
  readonly request: string;
  readonly state: RowState;
}

/**
 * The gateway's side of one row group: admits, calls and answers, and keeps the journal. It outlives the worker that
 * asked: calls under way are finished and written, and the next worker on the same group is answered from there.
 */
export class GroupChannel {
  readonly #parts: GroupChannelParts;
  readonly #underWay = new Map<string, Promise<CallOutcome>>();
  readonly #rows = new Map<number, RowState>();
  #out: BatchingPort<Reply> | undefined;
  /** Calls that there was no money for. */
  #turnedAway: { readonly id: number; readonly out: BatchingPort<Reply> }[] = [];
  #isOver = false;

  constructor(parts: GroupChannelParts) {
    this.#parts = parts;
  }

  /** Serves a worker through its port until that closes. */
  attach(port: MessagePort): void {
    // The port of a lost worker may close later than its successor comes.
    if (this.#out) this.#detach();
    const out = new BatchingPort(port, writeReply, insteadOfReply);
    this.#out = out;
    port.on('message', (asks: readonly Line<Ask>[]) => {
      if (this.#out === out) for (const ask of asks) this.#take(readAsk(ask), out);
    });
    port.on('close', () => {
      if (this.#out === out) this.#detach();
    });
  }

  /** Writes the journal, then sends the answers that stand in it. */
  flush(): void {
    this.#parts.journal?.write();
    this.#out?.flush();
  }

  /** Ends the desk; what is under way is given up. */
  async close({ keepJournal }: { keepJournal: boolean }): Promise<void> {
    for (const state of this.#rows.values()) giveUp(state);
    this.#rows.clear();
    await this.#parts.journal?.close({ keep: keepJournal });
  }

  /** Whether calls are under way. */
  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** All calls under way have ended, well or not. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay.values());
  }

  /**
   * From now on only what stands in the journal or is under way can be had: whoever waits for something else is told
   * `run/over`, and whoever asks for it later.
   */
  endAsking(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const state of this.#rows.values()) {
      const waiting = [...state.waiting.values()];
      state.waiting.clear();
      for (const { ask, out, withdraw } of waiting) {
        withdraw();
        this.#admit(ask, out);
      }
    }
    for (const { id, out } of this.#turnedAway) this.#sendFailure(out, id, runIsOver());
  }

  /** Gives up what is under way; who waits for it is told so. */
  giveUp(): void {
    for (const state of this.#rows.values()) giveUp(state);
  }

  #take(ask: Ask, out: BatchingPort<Reply>): void {
    switch (ask.kind) {
      case 'admit':
        return this.#admit(ask, out);
      case 'cancel':
        return this.#cancel(ask.row);
      case 'release':
        return this.#release(ask);
      case 'lookup':
        return this.#lookup(ask, out);
      case 'keep':
        return this.#keep(ask, out);
      case 'fail-cell':
        return this.#failCell(ask, out);
      case 'call':
      case 'tools':
        return void this.#answer(ask, out);
    }
  }

  #failCell({ id, cell }: Ask & { readonly kind: 'fail-cell' }, out: BatchingPort<Reply>): void {
    try {
      this.#parts.journal?.failCell(cell);
      this.#send(out, { kind: 'kept', id });
    } catch (thrown) {
      this.#sendFailure(out, id, DataDesignerError.fromUnknown(thrown));
    }
  }

  async #answer(ask: Ask & { readonly kind: 'call' | 'tools' }, out: BatchingPort<Reply>): Promise<void> {
    const { id } = ask;
    try {
      if (ask.kind === 'tools') {
        this.#send(out, { kind: 'tools', id, schemas: await this.#parts.router.frozenTools(ask.provider) });
        return;
      }
      this.#send(out, outcomeReply(id, await this.#call({ ...ask.call, body: unpack(ask.body) })));
    } catch (thrown) {
      this.#tellFailure(out, id, DataDesignerError.fromUnknown(thrown));
    }
  }

  /** Work that the journal has no outcome of is done where it was asked for, unless the run is over. */
  #lookup({ id, call, body }: Ask & { readonly kind: 'lookup' }, out: BatchingPort<Reply>): void {
    const request = requestOf({ ...call, body: unpack(body) });
    const kept = this.#parts.journal?.answer(call, request);
    if (kept) this.#send(out, outcomeReply(id, kept));
    else if (this.#isOver) this.#sendFailure(out, id, runIsOver());
    else this.#send(out, { kind: 'absent', id });
  }

  #keep({ id, call, body, outcome }: Ask & { readonly kind: 'keep' }, out: BatchingPort<Reply>): void {
    const request = requestOf({ ...call, body: unpack(body) });
    this.#parts.journal?.append({ ...call, request, ...outcome });
    this.#send(out, { kind: 'kept', id });
  }

  #tellFailure(out: BatchingPort<Reply>, id: number, failure: DataDesignerError): void {
    const isOurs = failure.code === 'run/budget-spent' || failure.code === 'run/aborted';
    if (this.#isOver && isOurs) return this.#sendFailure(out, id, runIsOver());
    if (failure.code !== 'run/budget-spent') return this.#sendFailure(out, id, failure);
    // Nobody is told before the answers under way are in.
    this.#turnedAway.push({ id, out });
    this.#parts.router.turnAway();
  }

  #sendFailure(out: BatchingPort<Reply>, id: number, failure: DataDesignerError): void {
    this.#send(out, { kind: 'failed', id, failure: this.#parts.router.redact(failure.toWire()) });
  }

  #send(out: BatchingPort<Reply>, reply: Reply): void {
    out.send(reply, false);
    if (out.full) this.#parts.wake(this, 'now');
    // A worker that has little else to wait for would stand idle.
    else this.#parts.wake(this, out.length >= this.#underWay.size ? 'soon' : 'later');
  }

  #row(row: number): RowState {
    let state = this.#rows.get(row);
    if (state) return state;
    state = { abort: new AbortController(), calls: 0, waiting: new Map(), permits: new Map() };
    this.#rows.set(row, state);
    return state;
  }

  /** Whatever is already answered, or being answered, needs no place. */
  #admit(ask: Ask & { readonly kind: 'admit' }, out: BatchingPort<Reply>): void {
    const admitted = () => this.#send(out, { kind: 'admitted', id: ask.id });
    const key = addressKey(ask);
    if (this.#parts.journal?.has(ask) || this.#underWay.has(key)) return admitted();
    if (this.#isOver) return this.#isKept(ask) ? admitted() : this.#sendFailure(out, ask.id, runIsOver());
    const state = this.#row(ask.row);
    const withdraw = this.#parts.router
      .admission(ask.resource)
      .request(this.#parts.router.priorityOf(ask), (permit) => {
        state.waiting.delete(key);
        state.permits.set(key, permit);
        admitted();
      });
    if (!state.permits.has(key)) state.waiting.set(key, { ask, out, withdraw });
  }

  /** A row of which something is kept may be opened when nothing is asked any more: it may be finished from that. */
  #isKept({ resource, row }: WaitingAdmit['ask']): boolean {
    return resource === OPEN_ROWS && this.#parts.journal?.hasRow(row) === true;
  }

  async #call(call: Call): Promise<CallOutcome> {
    const key = addressKey(call);
    const request = requestOf(call);
    const kept = this.#parts.journal?.answer(call, request);
    if (kept) {
      this.#parts.router.servedEarlier(call.resource);
      return kept;
    }
    let work = this.#underWay.get(key);
    if (!work) {
      const state = this.#row(call.row);
      state.calls++;
      work = this.#sendOut(call, { key, request, state }).finally(() => {
        state.calls--;
        this.#underWay.delete(key);
      });
      this.#underWay.set(key, work);
    }
    return work;
  }

  async #sendOut(call: Call, { key, request, state }: Sending): Promise<CallOutcome> {
    const { router, journal } = this.#parts;
    const admission = router.admission(call.resource);
    const permit = state.permits.get(key) ?? admission.take() ?? (await this.#permitFor(call, state));
    state.permits.delete(key);
    const stopped = router.stopped(call.resource);
    if (stopped.aborted) {
      permit.release();
      throw stopped.reason;
    }
    const before = journal?.unanswered(call, request);
    const { outcome: sent, keep } = await router.send(call, { permit, signal: state.abort.signal }).catch((thrown) => {
      throw before ? alsoPaid(thrown, before) : thrown;
    });
    const outcome = before ? { ...sent, tries: withPaid(sent.tries, before) } : sent;
    if (keep && journal) {
      const { row, column, call: number, resource, path } = call;
      journal.append({ row, column, call: number, request, resource, path, ...outcome });
      this.#parts.wake(this, 'later');
    }
    return outcome;
  }

  /** A place for a call that was not admitted, or whose own was freed with the port of a lost worker. */
  #permitFor(call: Call, { abort }: RowState): Promise<Permit> {
    const { router } = this.#parts;
    const signal = AbortSignal.any([abort.signal, router.stopped(call.resource)]);
    return router.admission(call.resource).acquire(router.priorityOf(call), signal);
  }

  /** Gives up a row: waits are withdrawn, places given back, requests under way closed. */
  #cancel(row: number): void {
    const state = this.#rows.get(row);
    if (!state) return;
    // At the end of a run what is under way comes in: a row may end because of another of its cells.
    if (this.#isOver && state.calls > 0) return release(state);
    this.#rows.delete(row);
    giveUp(state);
  }

  /** A cell makes no call at an address: the place goes to who waits for it, which may be another cell of the row. */
  #release(at: Address): void {
    const key = addressKey(at);
    const state = this.#rows.get(at.row);
    state?.waiting.get(key)?.withdraw();
    state?.waiting.delete(key);
    state?.permits.get(key)?.release();
    state?.permits.delete(key);
  }

  /** The worker is gone: what it waited for is freed, what is under way goes on for its successor. */
  #detach(): void {
    this.#out = undefined;
    for (const state of this.#rows.values()) release(state);
  }

  /** Before a successor is served: it finds in the journal what its predecessor had received. */
  reload(): void {
    this.#parts.journal?.reload();
  }
}

/** The requests behind an outcome, and those of an answer without a usable choice that an earlier version kept. */
function withPaid(tries: Tries = ONE, { body, path, tries: before = ONE }: JournalRecord): Tries {
  const tokens = tokensOfAnswer(body, path);
  const spent = [tries.spent, before.spent, tokens].reduce<PaidTokens | undefined>(
    (sum, more) => (more ? addTokens(sum, more) : sum),
    undefined,
  );
  return {
    requests: tries.requests + before.requests,
    refused: tries.refused + before.refused,
    possiblyPaid: tries.possiblyPaid + before.possiblyPaid + (tokens ? 0 : 1),
    ...(spent ? { spent } : {}),
  };
}

const ONE: Tries = { requests: 1, refused: 0, possiblyPaid: 0 };

/** The failure of a call with what was paid at its address before. */
function alsoPaid(thrown: unknown, before: JournalRecord): unknown {
  if (!(thrown instanceof DataDesignerError)) return thrown;
  const { code, data, cause } = thrown;
  const told = data as { readonly tries?: Tries };
  if (!told.tries) return thrown;
  const paid = { ...told, tries: withPaid(told.tries, before) };
  return new DataDesignerError(code, paid, { cause });
}
