import { type Answer, FetchRefusal, guardedRequest, HUB, readBody, type RequestContent } from '@data-designer/config';
import { DataDesignerError, refusalText } from '@data-designer/core';
import { redactor } from '@data-designer/core/redact';
import { type HubToken, mayPass, passingFailure, sayStatus, shownUrl, tryAgain } from '@data-designer/seeds/hub';
import { type HubTarget, notPushed } from './hub-target.ts';

/** A connection to a Hub. */
export interface HubConnection {
  readonly target: HubTarget;
  readonly token: HubToken;
  readonly signal: AbortSignal;
  /** The longest wait before the first retry; it doubles with each. */
  readonly retryDelayMs: number;
}

/** A commit of many files keeps the Hub busy before it answers. */
const IDLE_MS = 300_000;
const MAX_ANSWER_BYTES = 16_777_216;
const MAX_REFUSAL_BYTES = 20_000;
/** The characters of the Hub's own text in an error. */
const MAX_TEXT = 300;

/**
 * The `fetch` of a push. It sends the token to the Hub only, never to the storage of large files, reaches private addresses
 * only if the Hub is not the public one, retries what may pass, and throws the project's errors. It returns a 409 from
 * requests that create something.
 */
export function hubFetch(connection: HubConnection): typeof fetch {
  const { target, retryDelayMs } = connection;
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input, target.endpoint);
    const signal = init.signal ? AbortSignal.any([connection.signal, init.signal]) : connection.signal;
    const trying = { path: `datasets/${target.repoId}`, address: shownUrl(url), signal, retryDelayMs };
    return tryAgain(() => attempt({ ...connection, signal }, url, init), trying);
  };
}

async function attempt(connection: HubConnection, url: URL, init: RequestInit): Promise<Response> {
  const { target, token, signal } = connection;
  const headers = Object.fromEntries(new Headers(init.headers));
  delete headers['authorization'];
  const sends = sendingOf(init);
  try {
    const answer = await guardedRequest(url, {
      allowPrivate: target.endpoint.origin !== HUB,
      signal,
      idleMs: IDLE_MS,
      headers,
      credentials: { origin: target.endpoint.origin, authorization: `Bearer ${token.value}` },
      ...(sends && { sends }),
    });
    return await readAnswer(answer, connection);
  } catch (thrown) {
    if (!(thrown instanceof FetchRefusal) || thrown.mayPass) throw thrown;
    throw notPushed(target, thrown.message, 'Check the address of the Hub.');
  }
}

/** The content of a request: text, or a part of a file. */
function sendingOf({ method, body }: RequestInit): RequestContent | undefined {
  if (method !== 'POST' && method !== 'PUT') return undefined;
  if (body instanceof Blob) {
    return { method, bytes: body.size, open: () => body.stream() };
  }
  const text = Buffer.from(typeof body === 'string' ? body : '');
  return { method, bytes: text.length, open: () => [text] };
}

async function readAnswer(answer: Answer, connection: HubConnection): Promise<Response> {
  const { response, url } = answer;
  const { statusCode: status = 0, headers } = response;
  const creates = /\/api\/(?:repos\/create$|datasets\/[^/]+\/[^/]+\/branch\/)/.test(url.pathname);
  const isAnswer = (status >= 200 && status < 300) || (status === 409 && creates);
  if (!isAnswer) throw await failureOf(answer, connection);
  const body = await readBody(response, MAX_ANSWER_BYTES);
  const kept = ['content-type', 'link', 'etag', 'x-request-id'].flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return new Response(status === 204 ? null : body, { status, headers: Object.fromEntries(kept) });
}

async function failureOf({ response, url }: Answer, connection: HubConnection): Promise<DataDesignerError> {
  const { target, token } = connection;
  const { statusCode: status = 0, headers } = response;
  const refuse = (reason: string, remedy: string) => notPushed(target, reason, remedy);
  const body = await readBody(response, MAX_REFUSAL_BYTES).catch(() => '');
  if (mayPass(status))
    return passingFailure(sayStatus(status), { address: shownUrl(url), headers }, ({ reason, remedy }) =>
      refuse(reason, remedy),
    );
  if (url.origin !== target.endpoint.origin) {
    const reason = `the storage server of large files answered with status ${status}`;
    return refuse(reason, 'Push again; uploaded files are kept.');
  }
  if (status === 401 || status === 403) return unauthorized(status, connection);
  if (status === 404) return missing(target, headers['x-error-code']);
  if (status === 412) return refuse('its branch has changed since the push began (status 412)', 'Push again.');
  const said = redactor([token.value])(refusalText(body))
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_TEXT);
  return refuse(
    `the Hub answered with status ${status}${said === '' ? '' : `: ${said}`}`,
    'Correct it and push again.',
  );
}

function unauthorized(status: 401 | 403, { target, token }: HubConnection): DataDesignerError<'hub/unauthorized'> {
  const told = (reason: string, remedy: string) =>
    new DataDesignerError('hub/unauthorized', { dataset: target.repoId, status, reason, remedy });
  if (status === 401)
    return told(`${token.shown} is not accepted`, 'Check that the token is complete and has not expired.');
  const [owner] = target.repoId.split('/');
  const remedy = `Use a token with write permission for datasets of ${owner}, or push to a name of your own account.`;
  return told(`${token.shown} has no permission to write to it`, remedy);
}

function missing({ endpoint, repoId, revision }: HubTarget, code: unknown): DataDesignerError<'hub/missing'> {
  const remedy = 'Correct the name.';
  return code === 'RevisionNotFound'
    ? new DataDesignerError('hub/missing', {
        where: `The dataset '${repoId}'`,
        part: 'revision',
        name: revision,
        remedy,
      })
    : new DataDesignerError('hub/missing', { where: endpoint.host, part: 'dataset', name: repoId, remedy });
}
