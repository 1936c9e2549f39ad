import type { MessagePort } from 'node:worker_threads';
import type { Line } from './channel-messages.ts';

/**
 * Messages that leave together at most. Without a bound a burst of answers would cross as one batch, be worked off as
 * one, and come back as one: the other side idles meanwhile, and requests that ended together stay together for ever.
 */
const BATCH = 64;

/**
 * What is sent where a message cannot cross, as a value that is no data: a failure of its own, or nothing where the sender
 * has told itself. `line` is the message as it was written.
 */
export type Instead<Message extends object> = (line: Line<Message>, reason: string) => Message | undefined;

/** Sends messages through a port as arrays, at the latest at the end of a turn: a message costs 10 us, an array hardly more. */
export class BatchingPort<Message extends object> {
  readonly #port: MessagePort;
  readonly #write: (message: Message) => Line<Message>;
  readonly #instead: Instead<Message>;
  #waiting: Line<Message>[] = [];
  #transfer: ArrayBuffer[] = [];

  constructor(port: MessagePort, write: (message: Message) => Line<Message>, instead: Instead<Message>) {
    this.#port = port;
    this.#write = write;
    this.#instead = instead;
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
    try {
      this.#port.postMessage(messages, transfer);
    } catch {
      for (const line of messages) this.#sendAlone(line);
    }
  }

  /** One message that cannot be cloned keeps a whole batch from leaving, and what throws here nobody catches. */
  #sendAlone(line: Line<Message>): void {
    try {
      this.#port.postMessage([line], buffersIn(line));
    } catch (thrown) {
      const other = this.#instead(line, thrown instanceof Error ? thrown.message : String(thrown));
      if (other) this.#port.postMessage([this.#write(other)]);
    }
  }
}

function buffersIn(line: object): ArrayBuffer[] {
  return Object.values(line).flatMap((part) => (part instanceof Uint8Array ? [part.buffer as ArrayBuffer] : []));
}
