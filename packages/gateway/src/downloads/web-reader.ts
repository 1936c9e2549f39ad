import type { IncomingMessage } from 'node:http';
import { type Call, type CallOutcome, DataDesignerError } from '@data-designer/core';
import { type RetryPolicy, TimedOut } from '../http/attempt-judge.ts';
import { withForAll } from '../http/paid-tries.ts';
import { RETRY_POLICY, type SendOptions, sendWithRetries } from '../http/send-with-retries.ts';

/** The guarded client: follows redirects, checks every address, sends no credentials. */
export interface GuardedWeb {
  readonly request: (
    url: URL,
    asking: { readonly allowPrivate: boolean; readonly signal: AbortSignal; readonly post?: string },
  ) => Promise<{ readonly response: IncomingMessage }>;
  /** Why a request failed, in words. */
  readonly reason: (thrown: unknown) => string;
}

type Fetching = Pick<typeof import('@data-designer/config'), 'guardedRequest' | 'fetchReason'>;

let fetching: Fetching | undefined;

/** The guarded client, loaded with the first download, since most runs have none. */
export const guardedWeb: GuardedWeb = {
  request: async (url, asking) => {
    fetching ??= await import('@data-designer/config');
    return fetching.guardedRequest(url, asking);
  },
  reason: (thrown) => fetching?.fetchReason(thrown) ?? String(thrown),
};

/** Options of downloads. */
export interface WebReaderOptions {
  /** Allow servers of this machine and its network. */
  readonly allowPrivate: boolean;
  readonly policy?: RetryPolicy;
}

/** Downloads at a time, over all servers. */
export const DOWNLOADS_AT_A_TIME = 16;

/** Statuses of an outcome that no server sent, as an HTTP gateway would give them. */
const BAD_GATEWAY = 502;
const GATEWAY_TIMEOUT = 504;

/** Fetches files for `download` calls. A failed download is an outcome too, with the reason as its body. */
export class WebReader {
  readonly #web: GuardedWeb;
  readonly #options: WebReaderOptions;

  constructor(web: GuardedWeb, options: WebReaderOptions) {
    this.#web = web;
    this.#options = options;
  }

  /** The file in Base64 with status 200 and its `content-type`, or why there is none. Throws `run/aborted`. */
  async send(call: Call, options: SendOptions): Promise<CallOutcome> {
    const wanted = readRequest(call.body);
    if (!wanted) {
      options.permit.release();
      return saying(BAD_GATEWAY, 'it is not a valid address');
    }
    const seconds = call.timeoutMs / 1000;
    try {
      const outcome = await sendWithRetries(
        call,
        {
          policy: this.#options.policy ?? RETRY_POLICY,
          request: (timeoutMs) => this.#read(wanted, { timeoutMs, signal: options.signal }),
          late: (cause) => refused(`the download took longer than ${seconds} seconds`, cause),
          unreachable: (cause) => refused(this.#web.reason(cause), cause),
          mustWait: ({ status }, waitMs) => notYet({ url: wanted.url, status }, waitMs),
        },
        options,
      );
      return outcome.verdict === 'unusable' ? saying(BAD_GATEWAY, outcome.body) : outcome;
    } catch (thrown) {
      if (!(thrown instanceof DataDesignerError) || thrown.code !== 'internal/unexpected') throw thrown;
      const { reason } = thrown.data as { readonly reason: string };
      return saying(thrown.cause instanceof TimedOut ? GATEWAY_TIMEOUT : BAD_GATEWAY, reason);
    }
  }

  async #read(
    { url, maxBytes }: WebRequest,
    { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
  ): Promise<CallOutcome> {
    const late = AbortSignal.timeout(Math.max(0, Math.ceil(timeoutMs)));
    const asking = { allowPrivate: this.#options.allowPrivate, signal: AbortSignal.any([signal, late]) };
    try {
      const { response } = await this.#web.request(url, asking);
      const outcome = await readFile(response, maxBytes);
      // A body without a length ends without an error when its connection is aborted.
      asking.signal.throwIfAborted();
      return outcome;
    } catch (thrown) {
      if (late.aborted) throw new TimedOut('no answer in time', { cause: thrown });
      // A retry would be refused again: a forbidden address, a file that is too long.
      if (thrown instanceof Error && thrown.name === 'FetchRefusal') throw refused(thrown.message, thrown);
      throw thrown;
    }
  }
}

interface WebRequest {
  readonly url: URL;
  readonly maxBytes: number;
}

function readRequest(body: string): WebRequest | undefined {
  const { url, maxBytes } = JSON.parse(body) as { readonly url: string; readonly maxBytes: number };
  return URL.canParse(url) ? { url: new URL(url), maxBytes } : undefined;
}

/** Why there is no file, on its way to an outcome that says so. */
function refused(reason: string, cause?: unknown): DataDesignerError {
  return new DataDesignerError('internal/unexpected', { reason }, { cause });
}

/** The failure of every call, so that the rows stay unfinished until the server may be asked again. */
function notYet({ url, status }: { readonly url: URL; readonly status: number }, waitMs: number): DataDesignerError {
  const until = new Date(Date.now() + waitMs).toISOString();
  const waitSeconds = Math.ceil(waitMs / 1000);
  return withForAll(new DataDesignerError('model/picture-not-yet', { server: url.host, status, waitSeconds, until }));
}

function saying(status: number, body: string): CallOutcome {
  return { status, headers: { 'content-type': 'text/plain' }, body };
}

async function readFile(response: IncomingMessage, maxBytes: number): Promise<CallOutcome> {
  const { statusCode: status = 0, headers } = response;
  if (status !== 200) {
    response.destroy();
    const reason = `the server responded with status ${status}`;
    if (status < 400) throw refused(reason);
    const { body, headers: own } = saying(status, reason);
    const retryAfter = headers['retry-after'];
    return { status, body, headers: retryAfter === undefined ? own : { ...own, 'retry-after': retryAfter } };
  }
  const bytes = await readBytes(response, maxBytes);
  if (!bytes) throw refused(`the content is larger than ${maxBytes} bytes`);
  const reason = uselessReason(bytes);
  // A busy server or a proxy sends a page in place of the file.
  if (reason !== undefined) return { ...saying(status, reason), verdict: 'unusable' };
  const type = headers['content-type'];
  return { status, headers: type === undefined ? {} : { 'content-type': type }, body: bytes.toString('base64') };
}

/** The bytes of a file in which a page shows itself. */
const FIRST_BYTES = 512;
const PAGE = /^\uFEFF?\s*(?:<!doctype html|<html|<head|<body)/i;

/** Why an answer holds no file; undefined where it may. */
function uselessReason(bytes: Buffer): string | undefined {
  if (bytes.length === 0) return 'the server responded with nothing';
  return PAGE.test(bytes.toString('utf8', 0, FIRST_BYTES)) ? 'the server responded with a page' : undefined;
}

/** The bytes of an answer; undefined where there are too many, which is found out without reading them all. */
export async function readBytes(response: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  try {
    if (Number(response.headers['content-length']) > maxBytes) return undefined;
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    response.destroy();
  }
}
