import type { FailureCode, RowReview } from '@data-designer/core';
import type { ComparePage, CompareRequest } from './compare.ts';
import type { ConfigAnswer } from './config.ts';
import type { TextPage, TextRequest, TracePage, TraceRequest } from './conversation.ts';
import type { DatasetList, DatasetRequest } from './datasets.ts';
import type { FailedCellsPage, FailedCellsRequest, FailureList, RefusalsPage, RefusalsRequest } from './failures.ts';
import type { LiveState } from './live.ts';
import type { Overview, ProfileAnswer } from './overview.ts';
import type { RecordAnswer, RecordRequest, RowHashRequest } from './record.ts';
import type { ReviewList, ReviewRequest } from './reviews.ts';
import type { RowsPage, RowsRequest, StatsAnswer, StatsRequest } from './table.ts';

// The pages read everything through these types. The page runs in a browser: no import in this folder has a value.

/**
 * The addresses of the server, `/api/<name>`, with the body of a request and its answer. A request is a POST with a JSON
 * body; a failure is an `ApiFailure` with the status 400 to 503. `LINKS` are requested by GET.
 */
export interface Api {
  /** The datasets that this server shows: one, the stages of a workflow, or several to compare. */
  readonly datasets: { readonly request: Empty; readonly answer: DatasetList };
  readonly overview: { readonly request: DatasetRequest; readonly answer: Overview };
  readonly rows: { readonly request: RowsRequest; readonly answer: RowsPage };
  readonly stats: { readonly request: StatsRequest; readonly answer: StatsAnswer };
  readonly record: { readonly request: RecordRequest; readonly answer: RecordAnswer };
  readonly 'row-hash': { readonly request: RowHashRequest; readonly answer: { readonly hash: string } };
  readonly text: { readonly request: TextRequest; readonly answer: TextPage };
  readonly trace: { readonly request: TraceRequest; readonly answer: TracePage };
  readonly profile: { readonly request: DatasetRequest; readonly answer: ProfileAnswer };
  readonly failures: { readonly request: DatasetRequest; readonly answer: FailureList };
  readonly 'failed-cells': { readonly request: FailedCellsRequest; readonly answer: FailedCellsPage };
  readonly refusals: { readonly request: RefusalsRequest; readonly answer: RefusalsPage };
  readonly config: { readonly request: DatasetRequest; readonly answer: ConfigAnswer };
  readonly live: { readonly request: DatasetRequest; readonly answer: LiveState };
  readonly compare: { readonly request: CompareRequest; readonly answer: ComparePage };
  readonly reviews: { readonly request: DatasetRequest; readonly answer: ReviewList };
  readonly review: { readonly request: ReviewRequest; readonly answer: RowReview };
}

type Empty = Readonly<Record<string, never>>;

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
