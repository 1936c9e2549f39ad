import type { IncomingMessage } from 'node:http';
import { DataDesignerError } from '@data-designer/core';
import { documentAddress, namesDocument } from './document-address.ts';
import { fetchReason, FetchRefusal } from './fetch-refusal.ts';
import { type GuardedRequestOptions, checkAddress, guardedRequest } from './guarded-request.ts';
import { readBody } from './read-body.ts';
import { shownAddress } from './shown-address.ts';

/** The reach and the time limit of a fetch. */
export interface FetchOptions {
  /** Whether servers of this machine and its network are allowed; false unless given. */
  readonly allowPrivate?: boolean;
  /** The time limit, redirects included; 10,000 unless given. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/**
 * The text of a YAML or JSON document at an http or https address, at most 1 MiB; the page of a file on GitHub or Hugging
 * Face stands for the file. Only public servers are reached, without user data. Throws `config/unreadable` with the reason
 * and the address without its secrets.
 */
export async function fetchDocument(address: string, options: FetchOptions = {}): Promise<string> {
  const { allowPrivate = false, timeoutMs = TIMEOUT_MS } = options;
  const asking: GuardedRequestOptions = { allowPrivate, signal: AbortSignal.timeout(timeoutMs) };
  try {
    const text = await readBody(await requestDocument(startOf(address, asking), asking));
    // A body without a length looks complete when the connection is aborted.
    asking.signal.throwIfAborted();
    return text;
  } catch (thrown) {
    const reason = asking.signal.aborted
      ? `the download took longer than ${timeoutMs / 1000} seconds`
      : fetchReason(thrown);
    throw new DataDesignerError('config/unreadable', { path: shownAddress(address), reason }, { cause: thrown });
  }
}

/** The address of the document itself; the given address is checked first. */
function startOf(address: string, asking: GuardedRequestOptions): URL {
  if (!URL.canParse(address)) throw new FetchRefusal('it is not a valid address');
  const given = new URL(address);
  checkAddress(given, asking);
  if (!namesDocument(given)) throw new FetchRefusal('its path does not end in .yaml, .yml or .json');
  return documentAddress(given);
}

/** The answer with a document after at most five checked redirects; throws `FetchRefusal`. */
async function requestDocument(url: URL, asking: GuardedRequestOptions): Promise<IncomingMessage> {
  const { response } = await guardedRequest(url, asking);
  const { statusCode: status = 0 } = response;
  if (status === 200) return response;
  response.destroy();
  throw new FetchRefusal(refusalOf(status));
}

function refusalOf(status: number): string {
  const byHand = 'download the file and use it from this machine';
  if (status === 401) return `the server requires a login (401); ${byHand}`;
  if (status === 403) return `the server denied access (403); check that the file is public, or ${byHand}`;
  if (status === 404)
    return 'the server has no file at this address (404); check the address, and that the file is public';
  return `the server responded with status ${status}`;
}
