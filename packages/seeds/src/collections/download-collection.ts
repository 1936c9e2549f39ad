import { type Answer, fetchReason, FetchRefusal, guardedRequest, readBody, shownAddress } from '@data-designer/config';
import { DataDesignerError, systemCode } from '@data-designer/core';
import { type Attempt, retrying } from '@data-designer/gateway';
import type { PartialFile } from '../hub/partial-file.ts';
import { requireSum, sumPath } from './collection-sum.ts';
import type { FillFile } from './install-collection.ts';

/** How a file is downloaded. */
export interface DownloadOptions {
  /** Whether to allow servers of this machine and its network. */
  readonly allowPrivate: boolean;
  readonly signal: AbortSignal;
  /** Called with the bytes so far, and the size of the file if the server announces it. */
  readonly onBytes: (bytes: number, total: number | undefined) => void;
  /** The longest wait before the first retry, doubled with each; a second unless given. */
  readonly retryDelayMs?: number;
}

/** A connection without data for this long is closed. */
const IDLE_MS = 30_000;
const RETRY_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;
const MAX_ATTEMPTS = 4;
const MAX_SUM_BYTES = 65_536;

/** Downloads a file; after a broken connection it requests the rest, if the server can tell that the file is the same. */
export function downloadOf(url: URL, options: DownloadOptions): FillFile {
  return async (file) => {
    await file.restart();
    let tag: string | undefined;
    await again(options, async () => {
      const { response } = await request(url, options, restOf(file, tag));
      const { etag } = response.headers;
      tag = etag?.startsWith('"') ? etag : undefined;
      await receive(response, file, options);
    });
  };
}

/** The SHA-256 that the file `<address>.sha256` gives; undefined if the server has no such file. */
export async function downloadedSum(url: URL, options: DownloadOptions): Promise<string | undefined> {
  const beside = new URL(url);
  beside.pathname = sumPath(url.pathname);
  const text = await again(options, async () => {
    const { response } = await request(beside, options, {}).catch((thrown: unknown) => {
      if (thrown instanceof Missing) return { response: undefined };
      throw thrown;
    });
    return response && readBody(response, MAX_SUM_BYTES);
  });
  if (text === undefined) return undefined;
  return requireSum(text, { beside: shownAddress(beside.href), name: url.pathname.split('/').at(-1) ?? '' });
}

/** A server without the file. */
class Missing extends FetchRefusal {}

type Headers = Readonly<Record<string, string>>;

function restOf(file: PartialFile, tag: string | undefined): Headers {
  return file.bytes > 0 && tag !== undefined ? { range: `bytes=${file.bytes}-`, 'if-range': tag } : {};
}

async function request(url: URL, { allowPrivate, signal }: DownloadOptions, headers: Headers): Promise<Answer> {
  const answer = await guardedRequest(url, { allowPrivate, signal, idleMs: IDLE_MS, headers });
  const { statusCode: status = 0 } = answer.response;
  if (status === 200 || (status === 206 && 'range' in headers)) return answer;
  answer.response.destroy();
  const shown = shownAddress(url.href);
  // Storage servers deny access to a missing file.
  if (status === 404 || status === 403) throw new Missing(`the server has no file ${shown}, or denies access to it`);
  const mayPass = status === 408 || status === 429 || status >= 500;
  throw new FetchRefusal(`the server responded with status ${status} to ${shown}`, { mayPass });
}

async function receive(response: Answer['response'], file: PartialFile, { onBytes }: DownloadOptions): Promise<void> {
  const total = await startOf(response, file);
  try {
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      await file.append(chunk);
      onBytes(file.bytes, total);
    }
  } finally {
    response.destroy();
  }
}

/** Prepares the file for an answer with all of it, or with the rest; returns the size of the file if it is announced. */
async function startOf({ statusCode, headers }: Answer['response'], file: PartialFile): Promise<number | undefined> {
  if (statusCode === 200) {
    if (file.bytes > 0) await file.restart();
    return headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  }
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
  if (Number(start) === file.bytes) return Number(total);
  await file.restart();
  throw new FetchRefusal('the server sent another part of the file than requested', { mayPass: true });
}

/** Runs `work`, and up to three times again after a fault of the connection; throws the last error. */
async function again<Result>(
  { signal, retryDelayMs = RETRY_DELAY_MS }: DownloadOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const policy = { baseMs: retryDelayMs, maxMs: MAX_DELAY_MS, maxAttempts: MAX_ATTEMPTS };
  const attempt = async (): Promise<Attempt<() => Result>> => {
    try {
      const result = await work();
      return { done: () => result };
    } catch (thrown) {
      const fail = (): never => {
        throw isOfConnection(thrown) ? new FetchRefusal(fetchReason(thrown), { cause: thrown }) : thrown;
      };
      return isPassing(thrown) && !signal.aborted
        ? { again: fail, retryAfterMs: undefined, counts: true }
        : { done: fail };
    }
  };
  const end = await retrying(attempt, { policy, timeoutMs: Infinity, signal, paused: signal });
  return end();
}

/** Whether a retry after an error may succeed. */
function isPassing(thrown: unknown): boolean {
  return thrown instanceof FetchRefusal ? thrown.mayPass : isOfConnection(thrown);
}

/** Whether an error comes from the connection: one of Node with a code; disks throw errors of the project. */
function isOfConnection(thrown: unknown): boolean {
  return !(thrown instanceof DataDesignerError) && !['', 'ABORT_ERR'].includes(systemCode(thrown));
}
