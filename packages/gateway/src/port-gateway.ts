import type { MessagePort } from 'node:worker_threads';
import {
  type Address,
  type Call,
  type CallOutcome,
  DataDesignerError,
  type FailedCell,
  type Gateway,
  type OutcomeJournal,
  type RowServers,
  type ServerWork,
  type ToolSchema,
  type UntimedCall,
} from '@data-designer/core';
import {
  type Ask,
  BatchingPort,
  type Line,
  pack,
  readAsk,
  readReply,
  type Reply,
  unpack,
  writeAsk,
} from './thread/channel-messages.ts';

interface Waiting {
  readonly kind: Ask['kind'];
  readonly row: number | undefined;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (failure: DataDesignerError) => void;
}

/** What journals work that is done. */
const JOURNALS: ReadonlySet<Ask['kind']> = new Set(['journal', 'fail-cell']);
/** What a row waits for that finishes its calls. */
const FINISHED: ReadonlySet<Ask['kind']> = new Set(['call', ...JOURNALS]);

/** What the calls of a gateway say. */
interface PortOptions {
  /** Whether calls are recorded, so they say what they are made for; false unless given. */
  readonly isObserved?: boolean | undefined;
  /** The resources of tools that are functions, whose calls have the values of their row. */
  readonly functionTools?: ReadonlySet<string> | undefined;
}

/** The gateway in a worker: sends requests through the port of its row group, and matches replies by number. */
export class PortGateway implements Gateway, OutcomeJournal, RowServers, Disposable {
  readonly #port: MessagePort;
  readonly #out: BatchingPort<Ask>;
  readonly #waiting = new Map<number, Waiting>();
  /** The requests of each row, so that ending one of thousands of rows need not search all. */
  readonly #idsOfRow = new Map<number, number[]>();
  readonly #ended = new Set<number>();
  /** Rows that send nothing more, and whose calls in flight are finished. */
  readonly #finishing = new Set<number>();
  /** Set once the port has closed: a later request would get no reply. */
  #lost: DataDesignerError | undefined;
  readonly #isObserved: boolean;
  readonly #functionTools: ReadonlySet<string> | undefined;
  #nextId = 0;

  constructor(port: MessagePort, { isObserved, functionTools }: PortOptions = {}) {
    this.#port = port;
    this.#isObserved = isObserved === true;
    this.#functionTools = functionTools;
    this.#out = new BatchingPort(port, writeAsk, (line, reason) => this.#refuse(readAsk(line), reason));
    port.on('message', (replies: readonly Line<Reply>[]) => {
      for (const reply of replies) this.#settle(readReply(reply));
    });
    port.on('close', () => this.#failAll('the gateway closed its port'));
  }

  async admit(resource: string, at: Address): Promise<void> {
    const { row, column, call } = at;
    await this.#ask((id) => ({ kind: 'admit', id, resource, row, column, call }), row);
  }

  async call({ body, origin, values, ...unnamed }: Call): Promise<CallOutcome> {
    const call = {
      ...unnamed,
      ...(this.#isObserved && { origin }),
      ...(this.#functionTools?.has(unnamed.resource) && { values }),
    };
    const reply = await this.#ask((id) => ({ kind: 'call', id, call, body: pack(body) }), call.row);
    if (reply.kind !== 'outcome') throw unexpected(reply);
    return { ...reply.outcome, body: unpack(reply.body) };
  }

  async journal({ body, ...call }: UntimedCall, work: () => Promise<CallOutcome>): Promise<CallOutcome> {
    const known = await this.#ask((id) => ({ kind: 'lookup', id, call, body: pack(body) }), call.row);
    if (known.kind === 'outcome') return { ...known.outcome, body: unpack(known.body) };
    const outcome = await work();
    await this.#ask((id) => ({ kind: 'journal', id, call, body: pack(body), outcome }), call.row);
    return outcome;
  }

  async failCell(cell: FailedCell): Promise<void> {
    await this.#ask((id) => ({ kind: 'fail-cell', id, cell }), cell.row);
  }

  async listTools(provider: string): Promise<readonly ToolSchema[]> {
    const reply = await this.#ask((id) => ({ kind: 'tools', id, provider }));
    if (reply.kind !== 'tools') throw unexpected(reply);
    return reply.schemas;
  }

  async serve(server: number, row: number, work: ServerWork): Promise<unknown> {
    const reply = await this.#ask((id) => ({ kind: 'server', id, server, row, work }), row);
    if (reply.kind !== 'served') throw unexpected(reply);
    return reply.value;
  }

  cancel(what: number | Address, { finishCalls } = { finishCalls: false }): void {
    if (typeof what === 'number') return this.#endRow(what, finishCalls);
    const { row, column, call } = what;
    this.#out.send({ kind: 'release', row, column, call });
  }

  #endRow(row: number, finishCalls: boolean): void {
    (finishCalls ? this.#finishing : this.#ended).add(row);
    this.#out.send({ kind: 'cancel', row, finishCalls });
    const left = this.#idsOfRow.get(row);
    if (!left) return;
    const isKept = (id: number) => finishCalls && FINISHED.has(this.#waiting.get(id)?.kind ?? 'admit');
    const kept = left.filter(isKept);
    const failure = rowIsOver(row);
    for (const id of left) if (!isKept(id)) this.#take(id)?.reject(failure);
    if (kept.length > 0) this.#idsOfRow.set(row, kept);
    else this.#idsOfRow.delete(row);
  }

  [Symbol.dispose](): void {
    this.#out.flush();
    this.#port.close();
  }

  #ask(make: (id: number) => Ask, row?: number): Promise<Reply> {
    if (this.#lost) return Promise.reject(this.#lost);
    const id = this.#nextId++;
    const ask = make(id);
    if (row !== undefined && this.#isOver(row, ask.kind)) return Promise.reject(rowIsOver(row));
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { kind: ask.kind, row, resolve, reject });
      if (row !== undefined) this.#remember(row, id);
      this.#out.send(ask);
    });
  }

  /** The cells of a row that has ended must not make further calls. */
  #isOver(row: number, kind: Ask['kind']): boolean {
    return this.#ended.has(row) || (this.#finishing.has(row) && !JOURNALS.has(kind));
  }

  #remember(row: number, id: number): void {
    const ids = this.#idsOfRow.get(row);
    if (ids) ids.push(id);
    else this.#idsOfRow.set(row, [id]);
  }

  /** Removes the request of a number; undefined if it was given up. */
  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #settle(reply: Reply): void {
    const waiting = this.#take(reply.id);
    if (!waiting) return;
    if (waiting.row !== undefined) this.#forget(waiting.row, reply.id);
    if (reply.kind === 'failed') waiting.reject(DataDesignerError.fromWire(reply.failure));
    else waiting.resolve(reply);
  }

  /** Fails a request that cannot be cloned. */
  #refuse(ask: Ask, reason: string): undefined {
    if (!('id' in ask)) return;
    const failure = new DataDesignerError('internal/unexpected', {
      reason: `a call cannot be sent to the I/O thread: ${reason}`,
    });
    this.#settle({ kind: 'failed', id: ask.id, failure: failure.toWire() });
  }

  #forget(row: number, id: number): void {
    const ids = this.#idsOfRow.get(row);
    if (!ids) return;
    if (ids.length === 1) this.#idsOfRow.delete(row);
    else ids.splice(ids.indexOf(id), 1);
  }

  #failAll(reason: string): void {
    this.#lost = new DataDesignerError('run/gateway-lost', { reason });
    for (const { reject } of this.#waiting.values()) reject(this.#lost);
    this.#waiting.clear();
  }
}

function rowIsOver(row: number): DataDesignerError {
  return new DataDesignerError('run/aborted', { reason: `row ${row} is over` });
}

function unexpected({ kind }: Reply): DataDesignerError {
  return new DataDesignerError('internal/unexpected', { reason: `unexpected reply '${kind}' of the gateway` });
}
