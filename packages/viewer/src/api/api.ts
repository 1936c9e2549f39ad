import type { FailureCode } from '@data-designer/core';

/** A failed request: the code of a `DataDesignerError`, or of the server itself, and its message. */
export interface ApiFailure {
  readonly code: FailureCode | 'view/not-found' | 'view/busy' | 'view/bad-request' | 'view/changed' | 'view/too-slow';
  readonly message: string;
}

/**
 * Addresses that a page links to, by GET. `download`: `dataset`, `format` (jsonl, csv, parquet or arrow) and `filter` as
 * JSON. `media`: an address of `Media`. `events`: `dataset`.
 */
export const LINKS = { download: '/api/download', media: '/api/media', events: '/api/events' } as const;

/** Where a page sends the token of its address, as `{ token }`, for a cookie. */
export const TOKEN_ADDRESS = '/api/token';
