import type { MessagePort } from 'node:worker_threads';
import { DataDesignerError, ParseFailure, type WireFailure } from '@data-designer/core';
import { BatchingPort } from '@data-designer/gateway/worker';

/** Messages between a task and the function host, both ways; `id` pairs a call with its result. */
type Message =
  | { readonly kind: 'call'; readonly id: number; readonly to: string; readonly args: readonly unknown[] }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: WireFailure }
  /** A parser refused an answer. */
  | { readonly kind: 'refused'; readonly id: number; readonly reason: string };

/** The functions that the other side can call, by name. Arguments and results are plain data. */
export type Callable = Readonly<Record<string, (...args: never) => unknown>>;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (failure: Error) => void;
}

/** Remote calls over a port, both ways. Failures keep their codes. */
export class CallPort implements Disposable {
  readonly #port: MessagePort;
  readonly #out: BatchingPort<Message>;
  readonly #waiting = new Map<number, Waiting>();
  readonly #closed = new AbortController();
  #nextId = 0;

  constructor(port: MessagePort, offered: Callable) {
    this.#port = port;
    this.#out = new BatchingPort<Message>(
      port,
      (message) => message,
      (message, reason) => this.#refuse(message as Message, reason),
    );
    port.on('message', (messages: readonly Message[]) => {
      for (const message of messages) {
        if (message.kind === 'call') void this.#answer(message, offered);
        else this.#settle(message);
      }
    });
    port.on('close', () => this.#end());
  }

  /** Aborted when the port closes. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Calls the other side; rejects with its failure, or `run/aborted` once the port is closed. */
  call(to: string, ...args: readonly unknown[]): Promise<unknown> {
    if (this.#closed.signal.aborted) return Promise.reject(isClosed());
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#out.send({ kind: 'call', id, to, args });
    });
  }

  [Symbol.dispose](): void {
    if (!this.#closed.signal.aborted) this.#out.flush();
    this.#port.close();
    this.#end();
  }

  async #answer({ id, to, args }: Message & { readonly kind: 'call' }, offered: Callable): Promise<void> {
    try {
      const called = offered[to] as ((...args: readonly unknown[]) => unknown) | undefined;
      this.#send({ kind: 'done', id, value: await called?.(...args) });
    } catch (thrown) {
      if (thrown instanceof ParseFailure) this.#send({ kind: 'refused', id, reason: thrown.message });
      else this.#send({ kind: 'failed', id, failure: DataDesignerError.fromUnknown(thrown).toWire() });
    }
  }

  #send(message: Message): void {
    if (!this.#closed.signal.aborted) this.#out.send(message);
  }

  /** A message that is not plain data fails its own call, on either side. */
  #refuse({ kind, id }: Message, reason: string): Message | undefined {
    const failed = { kind: 'failed', id, failure: notPlain(reason).toWire() } as const;
    if (kind !== 'call') return failed;
    this.#settle(failed);
    return undefined;
  }

  #settle(message: Exclude<Message, { readonly kind: 'call' }>): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === 'done') waiting?.resolve(message.value);
    else if (message.kind === 'refused') waiting?.reject(new ParseFailure(message.reason));
    else waiting?.reject(DataDesignerError.fromWire(message.failure));
  }

  #end(): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(isClosed());
    for (const { reject } of this.#waiting.values()) reject(isClosed());
    this.#waiting.clear();
  }
}

function notPlain(reason: string): DataDesignerError {
  const data = {
    function: 'of the column',
    at: 'its result',
    found: `not plain data: ${reason}`,
  };
  return new DataDesignerError('function/bad-value', data);
}

function isClosed(): DataDesignerError {
  return new DataDesignerError('run/aborted', { reason: 'the row group is over' });
}
