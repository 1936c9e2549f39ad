import type { Dispatcher } from 'undici';
import { type CallOutcome, MEGABYTE } from '@data-designer/core';
import type { AnswerMemory, AnswerShare } from '../admission/answer-memory.ts';
import { RETRY_HEADERS } from './retry-after.ts';
import { TimedOut } from './send-with-retries.ts';
import { openUnpacker, type Unpacker } from './unpack-body.ts';

/** Headers of an answer that are given on: the rest stays in the I/O thread. */
const KEPT = ['content-type', 'retry-after', 'x-request-id'] as const;
/** Those of a refusal: also when to come back, and where a redirect points. */
const KEPT_OF_REFUSALS = [...KEPT, ...RETRY_HEADERS, 'location'] as const;

/** The longest answer that is taken unless a call says otherwise. */
const MAX_ANSWER_BYTES = 16 * MEGABYTE;
/** Of a refusal so much is read, for its words. */
const MAX_REFUSAL_BYTES = MEGABYTE;

/** A request as `postJson` sends it. */
export interface JsonPost {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  /** The longest answer that is taken, as it comes and unpacked; 16 MB unless given. */
  readonly maxBytes?: number | undefined;
  /** Where the bytes of the answer are counted. */
  readonly memory: AnswerMemory;
  readonly signal: AbortSignal;
  /** Called when the connection stands and the request goes over it. */
  readonly onSent: () => void;
}

/** An answer is longer than is taken; it was cut off. */
export class TooLong extends Error {
  override readonly name = 'TooLong';
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`the answer is longer than ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
  }
}

/**
 * Posts JSON text and collects the answer. Uses undici's `dispatch`, which spares the I/O thread the streams and
 * promises of `request`. Rejects with `TimedOut`, `TooLong`, an abort, or the transport's error; the socket is closed
 * then.
 */
export function postJson(dispatcher: Dispatcher, post: JsonPost): Promise<CallOutcome> {
  const { path, headers, body, timeoutMs, signal } = post;
  return new Promise((resolve, reject) => {
    const collector = new Collector(resolve, reject, post);
    const timer = setTimeout(() => collector.abort(new TimedOut('no answer in time')), timeoutMs);
    const onAbort = () => collector.abort(new Error('aborted'));
    collector.onEnd = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort);
    dispatcher.dispatch({ path, method: 'POST', headers, body }, collector);
  });
}

/** Collects one answer as undici hands it over. */
class Collector implements Dispatcher.DispatchHandler {
  readonly #resolve: (outcome: CallOutcome) => void;
  readonly #reject: (error: Error) => void;
  readonly #post: JsonPost;
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;
  #status = 0;
  #headers: Record<string, string> = {};
  #unpacker: Unpacker | undefined;
  #share: AnswerShare | undefined;
  #chunks: Buffer[] = [];
  /** Bytes as they came, and those of the body. */
  #received = 0;
  #bytes = 0;
  #maxBytes = MAX_ANSWER_BYTES;
  #isOver = false;
  onEnd: () => void = () => {};

  constructor(resolve: (outcome: CallOutcome) => void, reject: (error: Error) => void, post: JsonPost) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#post = post;
  }

  /** Ends the request now, whether it is queued, under way or half answered. */
  abort(reason: Error): void {
    if (this.#aborted) return;
    this.#aborted = reason;
    this.#controller?.abort(reason);
    this.#fail(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted) controller.abort(this.#aborted);
    else this.#post.onSent();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    for (const name of status < 300 ? KEPT : KEPT_OF_REFUSALS) {
      const value = headers[name];
      if (typeof value === 'string') this.#headers[name] = value;
    }
    this.#maxBytes = status < 300 ? (this.#post.maxBytes ?? MAX_ANSWER_BYTES) : MAX_REFUSAL_BYTES;
    const { 'content-encoding': encoding } = headers;
    this.#unpacker = openUnpacker(encoding === undefined ? undefined : String(encoding), {
      onData: (bytes) => this.#take(bytes),
      onEnd: () => this.#end(),
      onError: (error) => this.abort(error),
    });
    this.#share = this.#post.memory.open({
      pause: () => {
        controller.pause();
        this.#unpacker?.pause();
      },
      resume: () => {
        this.#unpacker?.resume();
        controller.resume();
      },
    });
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#unpacker) return this.#take(chunk);
    this.#received += chunk.length;
    this.#share?.add(chunk.length);
    if (this.#received > this.#maxBytes) this.#cutOff();
    else this.#unpacker.write(chunk);
  }

  onResponseEnd(): void {
    if (this.#unpacker) this.#unpacker.end();
    else this.#end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #take(bytes: Buffer): void {
    if (this.#isOver) return;
    this.#bytes += bytes.length;
    this.#share?.add(bytes.length);
    if (this.#bytes > this.#maxBytes) this.#cutOff();
    else this.#chunks.push(bytes);
  }

  /** Of a refusal the words at its begin are enough. */
  #cutOff(): void {
    if (this.#status < 300) return this.abort(new TooLong(this.#maxBytes));
    this.#end();
    this.#aborted = new Error('a refusal was cut off');
    this.#controller?.abort(this.#aborted);
  }

  #end(): void {
    if (!this.#close()) return;
    const bytes = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body: bytes.toString('utf8') });
  }

  #fail(error: Error): void {
    if (this.#close()) this.#reject(error);
  }

  /** Gives back what the answer held; whether it had not ended before. */
  #close(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.onEnd();
    this.#unpacker?.destroy();
    this.#share?.[Symbol.dispose]();
    return true;
  }
}
