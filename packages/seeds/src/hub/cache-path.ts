import { join } from 'node:path';

/** A commit of a dataset on a Hub. */
export interface HubCommit {
  /** The address of the Hub, without credentials. */
  readonly endpoint: URL;
  /** `user/name`, or `name`. */
  readonly dataset: string;
  /** The commit's hash. */
  readonly commit: string;
}

/** Drives, backslashes and control characters, which lead elsewhere on some system. */
const HOSTILE = /^[A-Za-z]:|[\p{Cc}\\\uFFFD]/u;

/** Characters that Windows does not allow in names. */
const UNUSABLE = process.platform === 'win32' ? /[<>:"|?*]|[. ](?:\/|$)/ : undefined;

/** Common file systems store no longer names. */
const MAX_NAME_BYTES = 255;

/** Whether a file can be cached under the path that a server gives it, without leaving the cache folder. */
export function isCacheable(path: string): boolean {
  if (HOSTILE.test(path) || UNUSABLE?.test(path)) return false;
  return path
    .split('/')
    .every((step) => step !== '' && step !== '.' && step !== '..' && Buffer.byteLength(step) <= MAX_NAME_BYTES);
}

/** The cache folder of a commit; endpoints never share one, as a server could put its files under another's name there. */
export function commitFolder(cacheFolder: string, { endpoint, dataset, commit }: HubCommit): string {
  const { protocol, host, href } = endpoint;
  const pathname = endpoint.pathname.replace(/\/+$/, '');
  const address = protocol === 'https:' ? `${host}${pathname}` : href.replace(/\/+$/, '');
  return join(cacheFolder, encodeURIComponent(address), ...dataset.split('/'), commit);
}
