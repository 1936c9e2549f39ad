import type { FailureCode } from '@data-designer/core';
import type { ExportFormat } from '@data-designer/dataset/formats';

/** A failed request: the code of a `DataDesignerError`, or of the server itself, and its message. */
export interface ApiFailure {
  readonly code: FailureCode | 'view/not-found' | 'view/busy' | 'view/bad-request' | 'view/changed' | 'view/too-slow';
  readonly message: string;
}

const DOWNLOADS = {
  jsonl: true,
  csv: true,
  parquet: true,
  arrow: true,
} as const satisfies Readonly<Record<ExportFormat, true>>;

/** The formats of a download, in the order in which a page offers them. */
export const DOWNLOAD_FORMATS = Object.keys(DOWNLOADS) as readonly ExportFormat[];

/**
 * Addresses that a page links to, by GET. `download`: `dataset`, `format` (one of `DOWNLOAD_FORMATS`), `filter` as JSON, and
 * `edits` for the new values of reviews, `reviews` for reviews as columns. `media`: an address of `Media`. `events`: `dataset`.
 */
export const LINKS = { download: '/api/download', media: '/api/media', events: '/api/events' } as const;

/** Where a page sends the token of its address, as `{ token }`, for a cookie. */
export const TOKEN_ADDRESS = '/api/token';
