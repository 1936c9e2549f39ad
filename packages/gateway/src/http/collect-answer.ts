import { isUtf8 } from 'node:buffer';
import type { Dispatcher } from 'undici';
import { type CallOutcome, MEGABYTE, tryParse } from '@data-designer/core';
import type { AnswerMemory, AnswerShare } from '../admission/answer-memory.ts';
import { TimedOut } from './attempt-judge.ts';
import { RETRY_HEADERS } from './retry-after.ts';
import { openUnpacker, type Unpacker } from './unpack-body.ts';

/** Headers of an answer that leave the I/O thread. */
const ANSWER_HEADERS = ['content-type', 'retry-after', 'x-request-id'] as const;
/** Those of a refusal: also when to retry, and the target of a redirect. */
const REFUSAL_HEADERS = [...ANSWER_HEADERS, ...RETRY_HEADERS, 'location'] as const;

/** The longest answer unless a call says otherwise. */
const MAX_ANSWER_BYTES = 16 * MEGABYTE;
/** The bytes of a refusal that are read, for its message. */
const MAX_REFUSAL_BYTES = MEGABYTE;

/** The limits of one answer. */
export interface CollectOptions {
  /** The time from the request to the end of the answer, without the time for which reading it is paused. */
  readonly timeoutMs: number;
  /** The longest answer, packed and unpacked; 16 MB unless given. */
  readonly maxBytes?: number | undefined;
  /** Counts the bytes of the answer, and may pause reading it. */
  readonly memory: AnswerMemory;
  readonly signal: AbortSignal;
  /** Called when the connection is open and the request is sent over it. */
  readonly onSent: () => void;
}

/** The answer is longer than the limit; the rest was not read. */
export class TooLong extends Error {
  override readonly name = 'TooLong';
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`the answer is longer than ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
  }
}

/** The connection ended after the status and before the end of the answer. */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff';
  readonly status: number;

  constructor(status: number, cause: Error) {
    super(messageOf(cause), { cause });
    this.status = status;
  }
}

/**
 * Collects the answer to the request that `dispatch` sends. Uses undici's `dispatch`, which saves the I/O thread the
 * streams and promises of `request`. Rejects with `TimedOut`, `TooLong`, an abort, or the transport's error; the
 * socket is closed then.
 */
export function collectAnswer(
  dispatch: (collector: Dispatcher.DispatchHandler) => void,
  options: CollectOptions,
): Promise<CallOutcome> {
  return new Promise((resolve, reject) => {
    const collector = new Collector(resolve, reject, options);
    if (collector.start()) dispatch(collector);
  });
}

/** Collects one answer as undici delivers it. */
class Collector implements Dispatcher.DispatchHandler {
  readonly #resolve: (outcome: CallOutcome) => void;
  readonly #reject: (error: Error) => void;
  readonly #options: CollectOptions;
  #timer: NodeJS.Timeout | undefined;
  #leftMs: number;
  #timedFrom = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;
  #status = 0;
  #headers: Record<string, string> = {};
  #unpacker: Unpacker | undefined;
  #share: AnswerShare | undefined;
  #chunks: Buffer[] = [];
  /** Bytes received, and bytes of the unpacked body. */
  #received = 0;
  #bytes = 0;
  #maxBytes = MAX_ANSWER_BYTES;
  #isOver = false;

  constructor(resolve: (outcome: CallOutcome) => void, reject: (error: Error) => void, options: CollectOptions) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#options = options;
    this.#leftMs = options.timeoutMs;
  }

  /** Starts the time limit; false if the request was aborted before. */
  start(): boolean {
    const { signal } = this.#options;
    this.#startTimer();
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort);
    return !this.#isOver;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted) controller.abort(this.#aborted);
    else this.#options.onSent();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    for (const name of status < 300 ? ANSWER_HEADERS : REFUSAL_HEADERS) {
      const value = headers[name];
      if (typeof value === 'string') this.#headers[name] = value;
    }
    this.#maxBytes = status < 300 ? (this.#options.maxBytes ?? MAX_ANSWER_BYTES) : MAX_REFUSAL_BYTES;
    const { 'content-encoding': encoding } = headers;
    this.#unpacker = openUnpacker(encoding === undefined ? undefined : String(encoding), {
      onData: (bytes) => this.#take(bytes),
      onEnd: () => this.#end(),
      onError: (error) => this.#abort(error),
    });
    this.#share = this.#options.memory.open({
      pause: () => {
        this.#stopTimer();
        controller.pause();
        this.#unpacker?.pause();
      },
      resume: () => {
        this.#startTimer();
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
    this.#fail(this.#status === 0 || this.#aborted ? error : new BrokenOff(this.#status, error));
  }

  readonly #onAbort = (): void => this.#abort(new Error('aborted'));

  #startTimer(): void {
    this.#timedFrom = performance.now();
    this.#timer = setTimeout(() => this.#abort(new TimedOut('no answer in time')), this.#leftMs);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#timedFrom;
  }

  /** Ends the request now, whether it is queued, in flight or half answered. */
  #abort(reason: Error): void {
    if (this.#aborted) return;
    this.#aborted = reason;
    this.#controller?.abort(reason);
    this.#fail(reason);
  }

  #take(bytes: Buffer): void {
    if (this.#isOver) return;
    this.#bytes += bytes.length;
    this.#share?.add(bytes.length);
    if (this.#bytes > this.#maxBytes) this.#cutOff();
    else this.#chunks.push(bytes);
  }

  /** The beginning of a refusal is enough for its message; a long answer fails. */
  #cutOff(): void {
    if (this.#status < 300) return this.#abort(new TooLong(this.#maxBytes));
    this.#end();
    this.#aborted = new Error('a refusal was cut off');
    this.#controller?.abort(this.#aborted);
  }

  #end(): void {
    if (!this.#close()) return;
    const [first] = this.#chunks;
    const bytes = first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body: textOf(bytes, this.#headers['content-type']) });
  }

  #fail(error: Error): void {
    if (this.#close()) this.#reject(error);
  }

  /** Releases the timer and the memory; false if that was done before. */
  #close(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#unpacker?.destroy();
    this.#share?.[Symbol.dispose]();
    return true;
  }
}

/** The text of a body: UTF-8 as JSON is, or bytes that are none in the charset that the answer names. */
function textOf(bytes: Buffer, contentType = ''): string {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1];
  const isOther = charset !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(charset);
  if (!isOther || (isUtf8(bytes) && !/^utf-?16/i.test(charset))) return bytes.toString('utf8');
  return tryParse(charset, (label) => new TextDecoder(label).decode(bytes)) ?? bytes.toString('utf8');
}

/** Whether a request over TLS met a server without TLS. */
export function speaksHttp(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_SSL_WRONG_VERSION_NUMBER';
}

const LONGEST_REASON = 300;

/** Why a request failed, as the transport says it, in one line. */
export function transportReason(cause: unknown): string {
  const text = messageOf(cause).replaceAll(/\s+/g, ' ').trim();
  const shown = text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON)}…` : text;
  return shown.replace(/\.+$/, '') || 'no reason given';
}

function messageOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '') {
    // The host name has several addresses, and each failed for its own reason.
    return [...new Set(cause.errors.map(messageOf))].join('; ');
  }
  if (!(cause instanceof Error)) return String(cause);
  if (speaksHttp(cause)) return 'it speaks http and not https';
  return cause.message || ('code' in cause && typeof cause.code === 'string' ? cause.code : cause.name);
}
