import type { MessagePort } from 'node:worker_threads';
import type { Line } from './wire.ts';

/**
 * Messages that leave together at most. Without a bound a burst of answers would cross as one batch, be worked off as
 * one, and come back as one: the other side idles meanwhile, and requests that ended together stay together for ever.
 */
const BATCH = 64;

/** Sends messages through a port as arrays, at the latest at the end of a turn: a message costs 10 us, an array hardly more. */
export class BatchingPort<Message extends object> {
  readonly #port: MessagePort;
  readonly #write: (message: Message) => Line<Message>;
  #waiting: Line<Message>[] = [];
  #transfer: ArrayBuffer[] = [];

  constructor(port: MessagePort, write: (message: Message) => Line<Message>) {
    this.#port = port;
    this.#write = write;
  }

  /** Queues a message; with `autoFlush` it leaves at the end of this turn, else on `flush`. */
  send(message: Message, autoFlush = true): void {
    if (autoFlush && this.#waiting.length === 0) setImmediate(() => this.flush());
    this.#waiting.push(this.#write(message));
    const { body } = message as { readonly body?: unknown };
    if (body instanceof Uint8Array) this.#transfer.push(body.buffer as ArrayBuffer);
    if (autoFlush && this.full) this.flush();
  }

  /** Messages that wait to leave. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Whether it is time to flush, whatever the turn. */
  get full(): boolean {
    return this.#waiting.length >= BATCH;
  }

  flush(): void {
    if (this.#waiting.length === 0) return;
    const messages = this.#waiting;
    const transfer = this.#transfer;
    this.#waiting = [];
    this.#transfer = [];
    this.#port.postMessage(messages, transfer);
  }
}
