import type { CallOutcome } from '@data-designer/core';
import type { Dispatcher } from 'undici';
import { RETRY_HEADERS } from './retry-after.ts';
import { TimedOut } from './send-patiently.ts';
import { unpackBody } from './unpack-body.ts';

/** Headers of an answer that are given on: the rest stays in the I/O thread. */
const KEPT = ['content-type', 'retry-after', 'x-request-id'] as const;
/** Those of a refusal: also when to come back, and where a redirect points. */
const KEPT_OF_REFUSALS = [...KEPT, ...RETRY_HEADERS, 'location'] as const;

/** An answer longer than this is no model's; it is cut off rather than collected. */
const MAX_BYTES = 256 * 1024 * 1024;

/** A request as `postJson` sends it. */
export interface JsonPost {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called when the connection stands and the request goes over it. */
  readonly onSent: () => void;
}

/**
 * Posts JSON text and collects the answer. Uses undici's `dispatch`, which spares the I/O thread the streams and
 * promises of `request`. Rejects with `TimedOut`, an abort, or the transport's error; the socket is closed then.
 */
export function postJson(
  dispatcher: Dispatcher,
  { path, headers, body, timeoutMs, signal, onSent }: JsonPost,
): Promise<CallOutcome> {
  return new Promise((resolve, reject) => {
    const collector = new Collector(resolve, reject, onSent);
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
  readonly #onSent: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;
  #status = 0;
  #headers: Record<string, string> = {};
  #encoding: string | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;
  onEnd: () => void = () => {};

  constructor(resolve: (outcome: CallOutcome) => void, reject: (error: Error) => void, onSent: () => void) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#onSent = onSent;
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
    else this.#onSent();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    for (const name of status < 300 ? KEPT : KEPT_OF_REFUSALS) {
      const value = headers[name];
      if (typeof value === 'string') this.#headers[name] = value;
    }
    const { 'content-encoding': encoding } = headers;
    if (encoding !== undefined) this.#encoding = String(encoding);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_BYTES) controller.abort(new Error(`the answer is longer than ${MAX_BYTES} bytes`));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const bytes = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    if (this.#encoding === undefined) return this.#end(bytes);
    unpackBody(bytes, { encoding: this.#encoding, maxBytes: MAX_BYTES }).then(
      (body) => this.#end(body),
      (error: Error) => this.#fail(error),
    );
  }

  #end(body: Buffer): void {
    this.onEnd();
    this.#resolve({ status: this.#status, headers: this.#headers, body: body.toString('utf8') });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #fail(error: Error): void {
    this.onEnd();
    this.#reject(error);
  }
}
