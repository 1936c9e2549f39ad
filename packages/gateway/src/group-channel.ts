import type { MessagePort } from 'node:worker_threads';
import { type Call, type CallOutcome, DataDesignerError, OPEN_ROWS } from '@data-designer/core';
import { runIsOver } from './admission/resource-queues.ts';
import { RowPermits, type RowSignals } from './admission/row-permits.ts';
import type { CallRecorder } from './call-recorder.ts';
import { addressKey, type Journal } from './journal/journal.ts';
import { requestOf } from './journal/journaled-answers.ts';
import type { ProviderRouter } from './provider-router.ts';
import type { GroupServers } from '@data-designer/mcp';
import {
  type Ask,
  BatchingPort,
  insteadOfReply,
  type Line,
  outcomeReply,
  readAsk,
  type Reply,
  unpack,
  writeReply,
} from './thread/channel-messages.ts';

/** The parts of the I/O thread that a group channel uses. */
export interface GroupChannelParts {
  readonly router: ProviderRouter;
  /** Undefined if nothing is journaled. */
  readonly journal: Journal | undefined;
  /** What stands for the dataset of the group: the same in every run of it. */
  readonly home?: string | undefined;
  /** Records the calls of this row group; absent if nobody listens. */
  readonly recording?: { readonly recorder: CallRecorder; readonly group: number } | undefined;
  /** Called when there is something to write and send. */
  readonly wake: (channel: GroupChannel, when: When) => void;
}

/** When to flush a channel: `now` if a batch is full, `soon` at the end of this event loop turn, `later` with others. */
export type When = 'now' | 'soon' | 'later';

/** An admission that was asked for, and the port of the worker that asked. */
interface AdmitRequest {
  readonly ask: Ask & { readonly kind: 'admit' };
  readonly out: BatchingPort<Reply>;
}

/**
 * The gateway's end of one row group: admits calls, answers them and keeps the journal. It outlives a lost worker: calls
 * in flight are finished and journaled, and the next worker of the group is answered from the journal.
 */
export class GroupChannel {
  readonly #parts: GroupChannelParts;
  readonly #inFlight = new Map<string, Promise<CallOutcome>>();
  readonly #permits: RowPermits;
  /** The servers of its rows; none before the first. */
  #servers: Promise<GroupServers> | undefined;
  #out: BatchingPort<Reply> | undefined;
  /** Calls that the budget did not allow; they fail at the end of the run. */
  #overBudget: { readonly id: number; readonly out: BatchingPort<Reply> }[] = [];
  #isOver = false;

  constructor(parts: GroupChannelParts) {
    this.#parts = parts;
    this.#permits = new RowPermits(parts.router);
  }

  /** Serves a worker through its port until that closes. */
  attach(port: MessagePort): void {
    // The port of a lost worker may close after its successor is attached.
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

  /** Makes the answers that a lost worker had received available to its successor; call it before `attach`. */
  reload(): void {
    this.#parts.journal?.reload();
  }

  /** Writes the journal, then sends the answers that are in it. */
  flush(): void {
    this.#parts.journal?.write();
    this.#out?.flush();
  }

  /** Gives up the calls in flight and closes the journal. */
  async close({ keepJournal }: { keepJournal: boolean }): Promise<void> {
    this.#permits.giveUpAll();
    await this.#endServers();
    await this.#parts.journal?.close({ keep: keepJournal });
  }

  /** Whether calls are in flight. */
  get isBusy(): boolean {
    return this.#inFlight.size > 0;
  }

  /** Resolves when all calls in flight have ended, well or not. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#inFlight.values());
  }

  /** From now on only answers that are journaled or in flight are given; every other call fails with `run/over`. */
  endAsking(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#permits.askAgain();
    for (const { id, out } of this.#overBudget) this.#sendFailure(out, id, runIsOver());
  }

  /** Gives up the calls in flight; they fail with `run/aborted`. */
  giveUp(): void {
    this.#permits.giveUpAll();
  }

  #take(ask: Ask, out: BatchingPort<Reply>): void {
    switch (ask.kind) {
      case 'admit':
        return this.#admit({ ask, out });
      case 'server':
        return void this.#serve(ask, out);
      case 'cancel':
        if (this.#servers && !ask.finishCalls) return void this.#endRow(ask.row, this.#servers);
        // At the end of a run calls in flight are finished: the row may end because of another of its cells.
        return this.#permits.endRow(ask.row, { finishCalls: ask.finishCalls || this.#isOver });
      case 'release':
        return this.#permits.release(ask);
      case 'lookup':
        return this.#lookup(ask, out);
      case 'journal':
        return this.#journal(ask, out);
      case 'fail-cell':
        return void this.#failCell(ask, out);
      case 'call':
      case 'tools':
        return void this.#answer(ask, out);
    }
  }

  async #serve({ id, work, ...of }: Ask & { readonly kind: 'server' }, out: BatchingPort<Reply>): Promise<void> {
    try {
      if (this.#isOver && work.do === 'start') throw runIsOver();
      this.#servers ??= this.#parts.router.serversOfRows(this.#parts.home);
      const value = await (await this.#servers).serve(of, work);
      this.#send(out, { kind: 'served', id, value });
    } catch (thrown) {
      this.#sendFailure(out, id, DataDesignerError.fromUnknown(thrown));
    }
  }

  /** Ends the servers of a row first: its place is free once they have ended. */
  async #endRow(row: number, servers: Promise<GroupServers>): Promise<void> {
    await servers.then((opened) => opened.endRow(row)).catch(() => undefined);
    this.#permits.endRow(row, { finishCalls: this.#isOver });
  }

  async #endServers(): Promise<void> {
    const servers = await this.#servers;
    this.#servers = undefined;
    await servers?.end();
  }

  async #failCell({ id, cell }: Ask & { readonly kind: 'fail-cell' }, out: BatchingPort<Reply>): Promise<void> {
    try {
      await this.#parts.journal?.failCell(cell);
      this.#send(out, { kind: 'journaled', id });
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

  /** Gives the journaled outcome of work that the worker does itself, if there is one. */
  #lookup({ id, call, body }: Ask & { readonly kind: 'lookup' }, out: BatchingPort<Reply>): void {
    const request = requestOf({ ...call, body: unpack(body) });
    const journaled = this.#parts.journal?.entries.answer(call, request);
    if (journaled) this.#send(out, outcomeReply(id, journaled));
    else if (this.#isOver) this.#sendFailure(out, id, runIsOver());
    else this.#send(out, { kind: 'absent', id });
  }

  #journal({ id, call, body, outcome }: Ask & { readonly kind: 'journal' }, out: BatchingPort<Reply>): void {
    const request = requestOf({ ...call, body: unpack(body) });
    this.#parts.journal?.append({ ...call, request, ...outcome });
    this.#send(out, { kind: 'journaled', id });
  }

  #tellFailure(out: BatchingPort<Reply>, id: number, failure: DataDesignerError): void {
    const isEnd = failure.code === 'run/budget-spent' || failure.code === 'run/aborted';
    if (this.#isOver && isEnd) return this.#sendFailure(out, id, runIsOver());
    if (failure.code !== 'run/budget-spent') return this.#sendFailure(out, id, failure);
    // The worker is told when the answers in flight have arrived.
    this.#overBudget.push({ id, out });
    this.#parts.router.turnAway();
  }

  #sendFailure(out: BatchingPort<Reply>, id: number, failure: DataDesignerError): void {
    this.#send(out, { kind: 'failed', id, failure: this.#parts.router.redact(failure.toWire()) });
  }

  #send(out: BatchingPort<Reply>, reply: Reply): void {
    out.send(reply, false);
    if (out.full) this.#parts.wake(this, 'now');
    // A worker that waits for little else would be idle.
    else this.#parts.wake(this, out.length >= this.#inFlight.size ? 'soon' : 'later');
  }

  /** Admits at once a call whose answer is journaled or in flight: it needs no permit. */
  #admit(request: AdmitRequest): void {
    const { ask, out } = request;
    const admitted = () => this.#send(out, { kind: 'admitted', id: ask.id });
    if (this.#parts.journal?.entries.has(ask) || this.#inFlight.has(addressKey(ask))) return admitted();
    if (!this.#isOver) return this.#permits.request(ask, admitted, () => this.#admit(request));
    // A row with journaled answers may be finished from them when nothing more is sent.
    if (ask.resource === OPEN_ROWS && this.#parts.journal?.entries.hasRow(ask.row)) return admitted();
    this.#sendFailure(out, ask.id, runIsOver());
  }

  async #call(call: Call): Promise<CallOutcome> {
    const key = addressKey(call);
    const request = requestOf(call);
    const journaled = this.#parts.journal?.entries.answer(call, request);
    if (journaled) {
      this.#parts.router.servedEarlier(call, journaled);
      return journaled;
    }
    let work = this.#inFlight.get(key);
    if (!work) {
      work = this.#permits.during(call.row, (signals) => this.#sendOut(call, { request, ...signals }));
      work = work.finally(() => this.#inFlight.delete(key));
      this.#inFlight.set(key, work);
    }
    return work;
  }

  async #sendOut(call: Call, { request, ...signals }: { readonly request: string } & RowSignals): Promise<CallOutcome> {
    const { router, journal } = this.#parts;
    const permit = await this.#permits.take(call, signals);
    const stopped = router.stopped(call.resource);
    if (stopped.aborted) {
      permit.release();
      throw stopped.reason;
    }
    const { outcome, keep } = await this.#sendRecorded(call, { permit, ...signals });
    if (keep && journal) {
      const { row, column, call: number, resource, path } = call;
      journal.append({ row, column, call: number, request, resource, path, ...outcome });
      this.#parts.wake(this, 'later');
    }
    return outcome;
  }

  /** Sends a call to its provider, and records it if somebody listens. */
  #sendRecorded(call: Call, options: Parameters<ProviderRouter['send']>[1]): ReturnType<ProviderRouter['send']> {
    const { router, recording } = this.#parts;
    const send = () => router.send(call, options);
    if (!recording) return send();
    const { recorder, group } = recording;
    return recorder.during({ call, group, ...router.targetOf(call.resource) }, send);
  }

  /** The worker is gone: its permits are released, its calls in flight go on for its successor. */
  #detach(): void {
    this.#out = undefined;
    this.#permits.releaseAll();
    // The successor starts others, and sends them the calls again.
    void this.#endServers();
  }
}
