import { DataDesignerError } from '@data-designer/core';
import { checkAddress } from './check-address.ts';
import { documentAddress, namesDocument } from './document-address.ts';
import { fetchReason } from './fetch-reason.ts';
import { FetchRefusal } from './fetch-refusal.ts';
import type { Asking } from './guarded-request.ts';
import { readBody } from './read-body.ts';
import { requestDocument } from './request-document.ts';
import { shownAddress } from './shown-address.ts';

/** What a fetch may do beyond asking public servers, and how long. */
export interface FetchOptions {
  /** Ask servers of this machine and its own network too; false unless given. */
  readonly allowPrivate?: boolean;
  /** For the whole of it, redirects included; 10,000 unless given. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/**
 * The text of a YAML or JSON document at an http or https address, at most 1 MiB; a page of GitHub or Hugging Face that
 * shows a file stands for the file. Only public servers are asked, and nothing of the user goes along. Throws
 * `config/unreadable` with the address, less its secrets, and the reason.
 */
export async function fetchDocument(address: string, options: FetchOptions = {}): Promise<string> {
  const { allowPrivate = false, timeoutMs = TIMEOUT_MS } = options;
  const asking: Asking = { allowPrivate, signal: AbortSignal.timeout(timeoutMs) };
  try {
    const text = await readBody(await requestDocument(startOf(address, asking), asking));
    // A body without a length ends like a whole one when the connection is given up.
    asking.signal.throwIfAborted();
    return text;
  } catch (thrown) {
    const reason = asking.signal.aborted ? `it did not arrive within ${timeoutMs / 1000} seconds` : fetchReason(thrown);
    throw new DataDesignerError('config/unreadable', { path: shownAddress(address), reason }, { cause: thrown });
  }
}

/** Where the document itself is; the given address is checked before it stands for another. */
function startOf(address: string, asking: Asking): URL {
  if (!URL.canParse(address)) throw new FetchRefusal('it is not a valid address');
  const given = new URL(address);
  checkAddress(given, asking);
  if (!namesDocument(given)) throw new FetchRefusal('its path does not end in .yaml, .yml or .json');
  return documentAddress(given);
}
