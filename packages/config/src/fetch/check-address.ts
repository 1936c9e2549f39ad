import { FetchRefusal } from './fetch-refusal.ts';
import { checkHost, type Reach } from './guarded-lookup.ts';

/** Refuses an address, the first or one of a redirect, that may not be asked: throws `FetchRefusal`. */
export function checkAddress(url: URL, reach: Reach): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new FetchRefusal(`addresses of ${url.protocol}// are not read, only those of https:// and http://`);
  if (url.username !== '' || url.password !== '')
    throw new FetchRefusal('there is a user or password before its @; leave it out');
  checkHost(url.hostname, reach);
}
