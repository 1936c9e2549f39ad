import type { IncomingMessage } from 'node:http';
import { FetchRefusal } from './fetch-refusal.ts';
import { type Asking, guardedRequest } from './guarded-request.ts';

/**
 * The answer that holds a document, after at most five redirects, each checked as the first address was. Throws
 * `FetchRefusal` for what may not be asked and for answers without a document.
 */
export async function requestDocument(url: URL, asking: Asking): Promise<IncomingMessage> {
  const { response } = await guardedRequest(url, asking);
  const { statusCode: status = 0 } = response;
  if (status === 200) return response;
  response.destroy();
  throw new FetchRefusal(refusalOf(status));
}

function refusalOf(status: number): string {
  const byHand = 'download it and load the file';
  if (status === 401) return `the server asks for a login, which is not sent (401); ${byHand}`;
  if (status === 403) return `the server forbids reading it (403); check that it is public, or ${byHand}`;
  if (status === 404) return 'the server has nothing there (404); check the address, and that it is public';
  return `the server answered with status ${status}`;
}
