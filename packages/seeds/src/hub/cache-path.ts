import { join } from 'node:path';

/** A state of a dataset that never changes. */
export interface HubCommit {
  /** The address of the Hub, without credentials. */
  readonly endpoint: URL;
  /** `user/name`, or `name`. */
  readonly dataset: string;
  /** The commit's hash. */
  readonly commit: string;
}

/** What leads elsewhere, here or on another system: a drive, a backslash, signs that no name should have. */
const HOSTILE = /^[A-Za-z]:|[\p{Cc}\\\uFFFD]/u;

/** What has a meaning of its own in names on Windows. */
const UNUSABLE = process.platform === 'win32' ? /[<>:"|?*]|[. ](?:\/|$)/ : undefined;

/** Longer names are not kept by any common file system. */
const MAX_NAME_BYTES = 255;

/** Whether a file that a server names can be kept under that name, below a folder and nowhere else. */
export function isKeepable(path: string): boolean {
  if (HOSTILE.test(path) || UNUSABLE?.test(path)) return false;
  return path
    .split('/')
    .every((step) => step !== '' && step !== '.' && step !== '..' && Buffer.byteLength(step) <= MAX_NAME_BYTES);
}

/**
 * Where a cache keeps the files of a commit. Two addresses never share a folder: a server could put its own files under
 * another's name there.
 */
export function commitFolder(cacheFolder: string, { endpoint, dataset, commit }: HubCommit): string {
  const { protocol, host, href } = endpoint;
  const pathname = endpoint.pathname.replace(/\/+$/, '');
  const address = protocol === 'https:' ? `${host}${pathname}` : href.replace(/\/+$/, '');
  return join(cacheFolder, encodeURIComponent(address), ...dataset.split('/'), commit);
}
