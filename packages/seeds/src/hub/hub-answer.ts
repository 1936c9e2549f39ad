import type { IncomingHttpHeaders } from 'node:http';
import { DataDesignerError, type FailureData } from '@data-designer/core';
import { type Answer, shownAddress } from '@data-designer/config';
import { readRetryAfter } from '@data-designer/gateway';
import type { HubToken } from './hub-token.ts';

/** What a request asks for, as errors name it. */
export interface WantedHubPart {
  /** The address of the Hub. */
  readonly endpoint: URL;
  readonly dataset: string;
  readonly revision: string;
  readonly part: FailureData<'hub/missing'>['part'];
  /** The part's own name. */
  readonly name: string;
}

/** The missing part, by the Hub's `X-Error-Code` header. */
const PARTS = { RepoNotFound: 'dataset', RevisionNotFound: 'revision' } as const;

/** A longer `Retry-After` becomes an error. */
const MAX_WAIT_MS = 120_000;

/** The error of a failed answer, `hub/unreachable` if it is retryable; never quotes the server's text. */
export function answerFailure({ response, url }: Answer, wanted: WantedHubPart, token: HubToken | undefined) {
  const { statusCode: status = 0, headers } = response;
  const code = headers['x-error-code'];
  // Large files come from storage servers, which know neither datasets nor tokens.
  if (wanted.part === 'file' && url.origin !== wanted.endpoint.origin) return ofStorage(status, wanted, headers);
  if (status === 401 || status === 403) return unauthorized(status, { wanted, token, isGated: code === 'GatedRepo' });
  if (status === 404) return missing(wanted, code === 'RepoNotFound' || code === 'RevisionNotFound' ? code : undefined);
  if (mayPass(status)) return passing(sayStatus(status), wanted, headers);
  const reason = `the server responded with status ${status}`;
  return new DataDesignerError('hub/refused', {
    path: pathOf(wanted),
    reason,
    remedy: 'Check the endpoint and the path.',
  });
}

/** The path of a seed, as far as the request gives it. */
export function pathOf({ dataset, revision, part, name }: WantedHubPart): string {
  const start = `datasets/${dataset}${revision === 'main' ? '' : `@${revision}`}`;
  return (part === 'file' || part === 'folder') && name !== '' ? `${start}/${name}` : start;
}

/** An address for messages: without parts that may be secret, and without a trailing slash. */
export function shownUrl(url: URL): string {
  return shownAddress(url.href).replace(/\/+$/, '');
}

function missing(wanted: WantedHubPart, code: keyof typeof PARTS | undefined): DataDesignerError<'hub/missing'> {
  const { endpoint, dataset, revision } = wanted;
  const part = code === undefined ? wanted.part : PARTS[code];
  if (part === 'dataset') {
    const remedy = 'Correct the name; if the dataset is private, add a token that may read it (token: HF_TOKEN).';
    return new DataDesignerError('hub/missing', { where: endpoint.host, part, name: dataset, remedy });
  }
  if (part === 'revision') {
    const remedy = "After the '@', use an existing branch, tag or commit.";
    return new DataDesignerError('hub/missing', { where: `The dataset '${dataset}'`, part, name: revision, remedy });
  }
  const where = `The dataset '${dataset}' (${revision})`;
  return new DataDesignerError('hub/missing', { where, part, name: wanted.name, remedy: 'Correct the path.' });
}

interface Refused {
  readonly wanted: WantedHubPart;
  readonly token: HubToken | undefined;
  readonly isGated: boolean;
}

function unauthorized(status: number, { wanted, token, isGated }: Refused): DataDesignerError<'hub/unauthorized'> {
  const { dataset, endpoint } = wanted;
  const told = (reason: string, remedy: string) =>
    new DataDesignerError('hub/unauthorized', { dataset, status, reason, remedy });
  const give = "Set 'token: HF_TOKEN' in the seed, and HF_TOKEN in the environment.";
  if (isGated) {
    const page = `${shownUrl(endpoint)}/datasets/${dataset}`;
    const accept = `Accept the terms at ${page} with your account.`;
    const reason = 'its owner requires that you accept its terms';
    return told(reason, token ? accept : `${accept} ${give}`);
  }
  if (!token) return told('it is private or does not exist', `Correct the name. If it is private: ${give}`);
  if (status === 401)
    return told(`${token.shown} is not accepted`, 'Check that the token is complete and has not expired.');
  return told(
    `${token.shown} has no permission to read it`,
    "Give the token permission to read it in the Hub's settings.",
  );
}

/** Whether a later attempt may have another answer. */
export function mayPass(status: number): boolean {
  return status === 429 || status === 408 || status >= 500;
}

/** The reason of an answer that may pass. */
export function sayStatus(status: number): string {
  return status === 429 ? 'the server is rate limiting requests (429)' : `the server failed (${status})`;
}

function ofStorage(status: number, wanted: WantedHubPart, headers: IncomingHttpHeaders) {
  return passing(`the storage server of the file answered with status ${status}`, wanted, headers);
}

function passing(said: string, wanted: WantedHubPart, headers: IncomingHttpHeaders) {
  const address = `${shownUrl(wanted.endpoint)}/${pathOf(wanted)}`;
  return passingFailure(said, { address, headers }, (told) => {
    return new DataDesignerError('hub/refused', { path: pathOf(wanted), ...told });
  });
}

/** The error of an answer that may pass: `hub/unreachable`, which is retried, unless the server asks for a long wait. */
export function passingFailure(
  said: string,
  { address, headers }: { readonly address: string; readonly headers: IncomingHttpHeaders },
  tooLong: (told: { readonly reason: string; readonly remedy: string }) => DataDesignerError,
): DataDesignerError {
  const wait = readRetryAfter(headers['retry-after'], Date.now());
  if (wait === undefined || wait <= MAX_WAIT_MS)
    return new DataDesignerError('hub/unreachable', { address, reason: said, retryAfterMs: wait });
  const reason = `${said} and accepts new ones in ${Math.ceil(wait / 60_000)} minutes`;
  return tooLong({ reason, remedy: 'Start again after that time.' });
}
