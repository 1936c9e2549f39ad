import type { GuardedWeb } from './web-reader.ts';

type Fetching = Pick<typeof import('@data-designer/config'), 'guardedRequest' | 'fetchReason'>;

let fetching: Fetching | undefined;

/** The guarded client for downloads; it is loaded with the first of them, since most runs have none. */
export const guardedWeb: GuardedWeb = {
  request: async (url, asking) => {
    fetching ??= await import('@data-designer/config');
    return fetching.guardedRequest(url, asking);
  },
  reason: (thrown) => fetching?.fetchReason(thrown) ?? String(thrown),
};
