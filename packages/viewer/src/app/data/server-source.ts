import type { ApiFailure } from '../../api/api.ts';
import type { Api } from '../../api/requests.ts';
import { DOWNLOAD_FORMATS, LINKS, TOKEN_ADDRESS } from '../../api/api.ts';
import { downloadName } from '../../download-name.ts';
import type { DataSource } from './data-source.ts';
import { watchEvents } from './watch-events.ts';

/** Exchanges the token of the address for a cookie. */
export async function sendToken(token: string): Promise<void> {
  const response = await post(TOKEN_ADDRESS, { token });
  if (!response.ok) throw new Error('The server refused the token of this address. Run `data-designer view` again.');
}

/** The server that sent this page. */
export function serverSource(): DataSource {
  return {
    ask,
    watch: (dataset, topic, listener) =>
      watchEvents(`${LINKS.events}?${new URLSearchParams({ dataset, topic })}`, listener),
    downloads: ({ id, name }, filter, { edits, reviews }) =>
      DOWNLOAD_FORMATS.map((format) => {
        const query = new URLSearchParams({ dataset: id, format, filter: JSON.stringify(filter) });
        if (edits) query.set('edits', '1');
        if (reviews) query.set('reviews', '1');
        const fileName = downloadName(name, { filter, reviews }, format);
        return { label: format, fileName, address: `${LINKS.download}?${query}` };
      }),
    hasSql: true,
    hasReviews: true,
    canReview: true,
  };
}

async function ask<Name extends keyof Api>(
  name: Name,
  request: Api[Name]['request'],
  signal?: AbortSignal,
): Promise<Api[Name]['answer']> {
  const response = await post(`/api/${name}`, request, signal).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw new Error('The server of this page does not answer. Is `data-designer view` still running?', { cause });
  });
  if (response.ok) return response.json();
  throw new Error(await failureOf(response));
}

function post(address: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' };
  return fetch(address, { method: 'POST', headers, body: JSON.stringify(body), ...(signal && { signal }) });
}

async function failureOf(response: Response): Promise<string> {
  if (response.status === 401) {
    return 'This browser has no access to the server. Open the address that `data-designer view` printed.';
  }
  const failure: ApiFailure | undefined = await response.json().catch(() => undefined);
  return failure?.message ?? `The server answered with the status ${response.status}.`;
}
