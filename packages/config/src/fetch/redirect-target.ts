import { FetchRefusal } from './fetch-refusal.ts';

/**
 * Where a server says that a document is, from the `Location` of its answer. Throws `FetchRefusal` for what is no
 * address, and for a way from https to http; whether the address may be asked is for its own check.
 */
export function redirectTarget(location: string, from: URL): URL {
  if (!URL.canParse(location, from.href)) throw new FetchRefusal('the server redirects to what is not a valid address');
  const target = new URL(location, from);
  if (from.protocol === 'https:' && target.protocol === 'http:')
    throw new FetchRefusal('the server redirects from https to http, where anybody may change the document');
  return target;
}
